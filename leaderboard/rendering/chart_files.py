"""A chart as a file of its own: the wide drawing with its colours inside, for papers and slides."""

from __future__ import annotations

import re

STYLE = """
.chart{font-family:system-ui,sans-serif;font-variant-numeric:tabular-nums lining-nums;background:#fcfcfa}
text{fill:#1b1d20;font-size:12px} text.tick,text.muted,text.label{fill:#5e6369}
text.row-label,text.point-label,text.panel-title{fill:#1b1d20} a text{fill:#0b5c8f} .panel-title{font-weight:600}
.axis,line.tick,.axis line{stroke:#8b9096} .grid{stroke:#e2e0da} .tier{stroke:#1b1d20;stroke-width:1.5}
.frontier{stroke:#5e6369;fill:none;stroke-dasharray:2 3} .reported{fill:#fcfcfa;stroke:#5e6369;stroke-width:1.5}
.strip-tick{stroke-width:1.5;stroke:#5e6369} .strip-tick.gold{stroke:#a67c00}
.strip-tick.silver{stroke:#7a828b}
.strip-tick.bronze{stroke:#9a5a28} .line,.whisker{fill:none;stroke-width:1.75} .band{opacity:.14}
.cell{fill:#5e6369} .cell.right{fill:#0b63a5} .cell.partial{fill:#6b4fa0} .cell.wrong{fill:#b34700}
.cell-link{fill:none} .leader{stroke:#5e6369;stroke-dasharray:1 4}
.point-label,.line-label{paint-order:stroke;stroke:#fcfcfa;stroke-width:3px;stroke-linejoin:round}
""".strip()
SERIES = ("#5e6369", "#0b5c8f", "#b34700", "#6b4fa0", "#8a1c5b", "#3d6b35", "#7a5c00", "#2f6f76", "#5e6369")
NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # XML 1.0, 2.2: such a name would break the file
HEAT_FROM, HEAT_TO = (0xFC, 0xFC, 0xFA), (0x0B, 0x63, 0xA5)


def to_file(drawn: str) -> str:
    """The wide one of both drawings, complete: namespace, style, XML head."""
    found = re.search(r"<svg\b.*?</svg>", drawn, re.DOTALL)
    if found is None:
        raise ValueError("no drawing")
    svg = found[0].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    opening, close, rest = NOT_IN_XML.sub("\ufffd", svg).partition(">")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{opening}{close}<style>{_style()}</style>{rest}'


def _style() -> str:
    rules = [STYLE]
    for number, colour in enumerate(SERIES):
        rules.append(
            f".series-{number} :is(.dot,.bar:not(.reported),.band),.series-{number} text{{fill:{colour}}}"
            f".series-{number} .line,.series-{number} .whisker,.series-{number} .reported{{stroke:{colour}}}"
        )
    for step in range(10):
        share = 0.045 * step
        mixed = "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(HEAT_FROM, HEAT_TO))
        rules.append(f".heat-{step}{{fill:#{mixed}}}")
    return "\n".join(rules)
