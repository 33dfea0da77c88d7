"""Fields of physics, subfields and kinds of reasoning, as PHYBench and PhyX name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import pgettext_lazy

from arena.models import Subset

FIELDS = {
    "mechanics": pgettext_lazy("field of physics", "mechanics"),
    "electricity": pgettext_lazy("field of physics", "electricity"),
    "electromagnetism": pgettext_lazy("field of physics", "electromagnetism"),
    "thermodynamics": pgettext_lazy("field of physics", "thermodynamics"),
    "optics": pgettext_lazy("field of physics", "optics"),
    "waves acoustics": pgettext_lazy("field of physics", "waves acoustics"),
    "waves/acoustics": pgettext_lazy("field of physics", "waves/acoustics"),
    "modern": pgettext_lazy("field of physics", "modern"),
    "modern physics": pgettext_lazy("field of physics", "modern physics"),
    "advanced": pgettext_lazy("field of physics", "advanced"),
    "advanced physics": pgettext_lazy("field of physics", "advanced physics"),
    "statics": pgettext_lazy("field of physics", "statics"),
    "kinematics": pgettext_lazy("field of physics", "kinematics"),
    "dynamics": pgettext_lazy("field of physics", "dynamics"),
    "circuits": pgettext_lazy("field of physics", "circuits"),
    "electric circuits": pgettext_lazy("field of physics", "electric circuits"),
    "electrostatics": pgettext_lazy("field of physics", "electrostatics"),
    "magnetism": pgettext_lazy("field of physics", "magnetism"),
    "electromagnetic induction": pgettext_lazy("field of physics", "electromagnetic induction"),
    "electromagnetic waves": pgettext_lazy("field of physics", "electromagnetic waves"),
    "capacitance and dielectrics": pgettext_lazy("field of physics", "capacitance and dielectrics"),
    "geometrical optics": pgettext_lazy("field of physics", "geometrical optics"),
    "wave optics": pgettext_lazy("field of physics", "wave optics"),
    "optical instruments": pgettext_lazy("field of physics", "optical instruments"),
    "heat transfer": pgettext_lazy("field of physics", "heat transfer"),
    "temperature and heat transfer": pgettext_lazy("field of physics", "temperature and heat transfer"),
    "thermodynamic processes": pgettext_lazy("field of physics", "thermodynamic processes"),
    "ideal gases and kinetic theory": pgettext_lazy("field of physics", "ideal gases and kinetic theory"),
    "specific heat and calorimetry": pgettext_lazy("field of physics", "specific heat and calorimetry"),
    "phase changes": pgettext_lazy("field of physics", "phase changes"),
    "sound": pgettext_lazy("field of physics", "sound"),
    "standing waves": pgettext_lazy("field of physics", "standing waves"),
    "wave properties": pgettext_lazy("field of physics", "wave properties"),
    "resonance and harmonics": pgettext_lazy("field of physics", "resonance and harmonics"),
    "simple harmonic motion": pgettext_lazy("field of physics", "simple harmonic motion"),
    "momentum and collisions": pgettext_lazy("field of physics", "momentum and collisions"),
    "work and energy": pgettext_lazy("field of physics", "work and energy"),
    "rotational motion": pgettext_lazy("field of physics", "rotational motion"),
    "gravitation": pgettext_lazy("field of physics", "gravitation"),
    "fluid mechanics": pgettext_lazy("field of physics", "fluid mechanics"),
    "atomic physics": pgettext_lazy("field of physics", "atomic physics"),
    "nuclear physics": pgettext_lazy("field of physics", "nuclear physics"),
    "particle physics": pgettext_lazy("field of physics", "particle physics"),
    "quantum phenomena": pgettext_lazy("field of physics", "quantum phenomena"),
    "relativity": pgettext_lazy("field of physics", "relativity"),
    "solid state physics": pgettext_lazy("field of physics", "solid state physics"),
    "physical model grounding reasoning": pgettext_lazy("field of physics", "physical model grounding reasoning"),
    "spatial relation reasoning": pgettext_lazy("field of physics", "spatial relation reasoning"),
    "multi-formula reasoning": pgettext_lazy("field of physics", "multi-formula reasoning"),
    "numerical reasoning": pgettext_lazy("field of physics", "numerical reasoning"),
    "implicit condition reasoning": pgettext_lazy("field of physics", "implicit condition reasoning"),
    "predictive reasoning": pgettext_lazy("field of physics", "predictive reasoning"),
    "science": pgettext_lazy("field of physics", "science"),
    "mathematics": pgettext_lazy("field of physics", "mathematics"),
    "overall": pgettext_lazy("field of physics", "overall"),
}


def column_title(column: Mapping[str, Any]) -> str:
    """A subset's heading: a language by its own name, a field in the reader's language, an exam by its name."""
    return str(column["native_title"]) or say_field(str(column["title"]))


def say_subset(subset: Subset) -> str:
    return subset.native_title or say_field(subset.title)


def say_field(name: str) -> str:
    """A field, or a subset that is called after one, in the reader's language; anything else is the data's own name.

    Read whatever its case, and `_` for a space.
    """
    key = name.replace("_", " ").lower()
    said = str(FIELDS[key]) if key in FIELDS else key
    return name if said == key else said


def list_fields(names: Iterable[str]) -> list[str]:
    """Each field once, sorted: data sets write one field in different cases."""
    spelt: dict[str, str] = {}
    for name in sorted(names):
        spelt.setdefault(name.casefold(), name)
    return sorted(spelt.values())
