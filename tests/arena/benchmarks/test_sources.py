"""Reading files: lines, arrays and single objects, and what is wrong with each by place."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.benchmarks.sources import Faults, read_records


def read_bytes(tmp_path: Path, name: str, data: bytes) -> tuple[list[dict[str, object]], list[str]]:
    path, faults = tmp_path / name, Faults()
    path.write_bytes(data)
    return [raw.data for raw in read_records(path, faults, list_key="examples")], faults.found


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": 2}\n'),
        ("a.jsonl", b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": 2}'),
        ("a.json", b'{"a": 1}\n{"a": 2}\n'),
        ("a.json", b'[{"a": 1}, {"a": 2}]'),
        ("a.jsonl", b'[\n{"a": 1},\n{"a": 2}\n]'),
        ("a.json", b'{"examples": [{"a": 1}, {"a": 2}]}'),
    ],
)
def test_lines_arrays_and_wrapped_lists_give_the_same_records(tmp_path: Path, name: str, data: bytes) -> None:
    assert read_bytes(tmp_path, name, data) == ([{"a": 1}, {"a": 2}], [])


def test_one_object_is_one_record_over_several_lines_too(tmp_path: Path) -> None:
    assert read_bytes(tmp_path, "a.json", b'{\n "a": 1\n}') == ([{"a": 1}], [])


def test_line_separators_inside_a_text_do_not_cut_a_line(tmp_path: Path) -> None:
    text = "one\u2028two\u0085three\u009a"
    records, faults = read_bytes(tmp_path, "a.jsonl", f'{{"a": "{text}"}}\n{{"a": 2}}\n'.encode())
    assert (records, faults) == ([{"a": text}, {"a": 2}], [])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": 1', "not JSON"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b"7", "not a JSON object"),
        (b"[1]", "not a JSON object"),
        (b'{"a": "\\u0000"}', "NUL"),
        (b'{"a": ["\\ud800"]}', "lone surrogate"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_by_number_and_the_others_are_read(tmp_path: Path, line: bytes, reason: str) -> None:
    records, faults = read_bytes(tmp_path, "a.jsonl", b'{"a": 1}\n' + line + b'\n{"a": 3}\n')
    assert records == [{"a": 1}, {"a": 3}]
    assert len(faults) == 1
    assert faults[0].startswith("a.jsonl line 2")
    assert reason in faults[0]


@pytest.mark.parametrize("data", [b"", b"[]", b" \n\n", b'{"examples": []}'])
def test_a_file_without_records_is_refused(tmp_path: Path, data: bytes) -> None:
    records, faults = read_bytes(tmp_path, "a.json", data)
    assert records == []
    assert len(faults) == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    faults = Faults()
    assert read_records(tmp_path / "none.json", faults) == []
    assert faults.found == ["none.json: No such file or directory"]
