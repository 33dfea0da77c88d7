"""What benchmarks' own documents say of their data: facts as numbers, shown beside what is measured here.

HiPhO, PhyX, ARC-Challenge-Indic, CoinFlip: the data statistics on evalscope's benchmark cards (2026). PHYBench: its
README (phybench-official/phybench, 2025-05). One line a subset: samples, mean, least and most code points of a prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Lengths = tuple[int, float, int, int]


@dataclass(frozen=True, slots=True)
class Claim:
    """The published numbers of one split: all samples, by subset, figures (count, smallest, largest)."""

    source: str
    split: str
    n: int
    lengths: Lengths | None = None
    subsets: dict[str, Lengths] = field(default_factory=dict)
    figures: tuple[int, str, str] | None = None


CARD = "evalscope benchmark card"
CLAIMS: dict[str, Claim] = {
    "hipho": Claim(
        CARD, "test", 403, (403, 3020.35, 653, 9336),
        {
            "APhO_2025": (45, 4624.02, 2496, 8787),
            "CPhO_2025": (43, 2041.81, 960, 3745),
            "EuPhO_2024": (7, 1924.29, 1468, 2051),
            "EuPhO_2025": (6, 1646.33, 1422, 1856),
            "F=MA_2024": (25, 1598.76, 1279, 1957),
            "F=MA_2025": (25, 1721.2, 1395, 2513),
            "IPhO_2024": (37, 4152.57, 2201, 6701),
            "IPhO_2025": (39, 6359.74, 3362, 9336),
            "NBPhO_2024": (24, 2305.25, 1317, 4486),
            "NBPhO_2025": (20, 2677.7, 1359, 4808),
            "PanMechanics_2024": (29, 878.55, 653, 1283),
            "PanMechanics_2025": (23, 874.87, 667, 1150),
            "PanPhO_2024": (33, 2820.55, 1448, 3880),
            "PanPhO_2025": (47, 3526.47, 1561, 6209),
        },
        (413, "456x60", "3200x1645"),
    ),
    "phyx_oe": Claim(
        CARD, "test", 3000, (3000, 364.68, 93, 1874),
        {
            "mechanics": (550, 356.92, 124, 1273),
            "electromagnetism": (550, 326.73, 107, 1032),
            "thermodynamics": (500, 390.86, 93, 1174),
            "waves_acoustics": (500, 379.95, 101, 1731),
            "optics": (500, 361.15, 109, 1215),
            "modern_physics": (400, 380.12, 106, 1874),
        },
        (3000, "215x46", "5712x4953"),
    ),
    "arc_indic": Claim(
        CARD, "test", 12647, (12647, 448.01, 236, 2053),
        {
            "bn": (1150, 432.51, 242, 1137),
            "en": (1147, 454.88, 253, 1111),
            "gu": (1150, 426.57, 243, 1098),
            "hi": (1150, 443.47, 236, 1162),
            "kn": (1150, 456.08, 245, 1199),
            "ml": (1150, 473.31, 239, 2053),
            "mr": (1150, 434.22, 242, 1133),
            "or": (1150, 440.04, 243, 1374),
            "pa": (1150, 443.35, 236, 1132),
            "ta": (1150, 479.12, 243, 1295),
            "te": (1150, 444.53, 244, 1172),
        },
    ),
    "coin_flip": Claim(CARD, "test", 3333, (3333, 500.15, 453, 551)),
    "phybench": Claim("PHYBench README", "test", 500),
}  # fmt: skip
