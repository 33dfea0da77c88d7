"""Draws the figures of our own sample problems: `python -m arena.benchmarks.samples.draw`.

The PNG files are committed; this is their source, one function a figure.
"""

from __future__ import annotations

import math

from .sheet import BLUE, FAINT, FILL, INK, RED, SCALE, Axes, Sheet, between


def draw_wire() -> None:
    """HiPhO en 1: a bead on a V of wire that spins about its upright axis."""
    s, foot = Sheet(560, 460), (280.0, 400.0)
    tips = [(280 + 330 * math.sin(t), 400 - 330 * math.cos(t)) for t in (-math.radians(38), math.radians(38))]
    s.line((280, 440), (280, 40), color=FAINT, width=1.5, dash=7)
    s.line(tips[0], foot, tips[1], width=4)
    bead = between(foot, tips[1], 0.62)
    s.circle(bead, 11, fill=BLUE)
    s.symbol((bead[0] + 30, bead[1] + 6), "m")
    off = (-16 * math.cos(math.radians(38)), -16 * math.sin(math.radians(38)))
    s.span((foot[0] + off[0] + 12, foot[1] + off[1] - 14), (bead[0] + off[0] + 4, bead[1] + off[1] - 5))
    s.symbol((344, 262), "r")
    s.arc(foot, 84, -90, -52, width=1.6)
    s.symbol((312, 302), "α")
    s.arc((280, 66), 34, 20, 330, color=RED)
    s.arrow((308, 52), (313, 61), color=RED)
    s.symbol((336, 52), "ω", color=RED)
    s.arrow((90, 290), (90, 370), color=INK)
    s.symbol((112, 332), "g")
    s.save("hipho/image_question/Sample_2026_en_1_1.png")


def draw_quarter() -> None:
    """HiPhO en 2: a ray meets the flat face of a quarter cylinder at height h."""
    s, corner, radius = Sheet(620, 420), (190.0, 350.0), 250
    arc = [(190 + 250 * math.cos(math.radians(t)), 350 - 250 * math.sin(math.radians(t))) for t in range(91)]
    s.polygon(corner, *arc)
    s.line((40, 350), (590, 350), color=FAINT, width=1.5, dash=7)
    height = 120
    exit_point = (190 + math.sqrt(radius**2 - height**2), 350 - height)
    s.arrow((50, 230), (120, 230), color=RED)
    s.line((50, 230), exit_point, color=RED, width=2.5)
    s.line(corner, exit_point, color=INK, width=1.5, dash=6)
    s.symbol((300, 312), "R")
    s.span((150, 350), (150, 230))
    s.symbol((128, 292), "h")
    s.symbol((250, 180), "n")
    s.symbol((182, 374), "O")
    s.circle(corner, 4, fill=INK)
    s.text((520, 130), "air", 20)
    s.save("hipho/image_question/Sample_2026_en_2_1.png")


def draw_cycle() -> None:
    """HiPhO en 3: a triangular cycle in the p-V plane."""
    s = Sheet(600, 460)
    axes = Axes(s, (110, 70, 400, 320), 4, 400)
    axes.ticks([1, 2, 3, 4], [100, 200, 300, 400])
    a, b, c = axes.at(1, 100), axes.at(1, 300), axes.at(3, 100)
    s.line(a, b, c, a, color=BLUE, width=3)
    for start, end in ((a, b), (b, c), (c, a)):
        s.arrow(between(start, end, 0.4), between(start, end, 0.56), color=BLUE, width=3, head=15)
    for point, name, dx, dy in ((a, "A", -18, 18), (b, "B", -4, -22), (c, "C", 18, 18)):
        s.circle(point, 5, fill=BLUE, color=BLUE)
        s.symbol((point[0] + dx, point[1] + dy), name)
    s.text((110, 18), "p / kPa", 19)
    s.text((556, 420), "V / L", 19)
    s.save("hipho/image_question/Sample_2026_en_3_1.png")


def draw_rails() -> None:
    """HiPhO zh 1: a rod on rails, closed by a capacitor, pulled over a pulley by a weight."""
    s = Sheet(680, 430)
    top, bottom = 120.0, 260.0
    s.line((90, top), (520, top), width=4)
    s.line((90, bottom), (520, bottom), width=4)
    s.line((90, top), (90, 180))
    s.line((90, 200), (90, bottom))
    s.line((66, 180), (114, 180), width=4)
    s.line((66, 200), (114, 200), width=4)
    s.symbol((46, 190), "C")
    s.line((300, top - 22), (300, bottom + 22), color=BLUE, width=8)
    s.symbol((326, top - 24), "m", color=BLUE)
    s.span((210, top + 3), (210, bottom - 3))
    s.symbol((190, 190), "l")
    for x in (150, 250, 370, 460):
        for y in (155, 225):
            s.line((x - 7, y - 7), (x + 7, y + 7), color=FAINT, width=1.6)
            s.line((x - 7, y + 7), (x + 7, y - 7), color=FAINT, width=1.6)
    s.symbol((404, 144), "B", color=FAINT)
    s.line((304, 190), (570, 190), color=INK)
    s.circle((570, 214), 24, fill=FILL)
    s.circle((570, 214), 3, fill=INK)
    s.line((570, 214), (530, 214), width=3)
    s.polygon((516, 160), (530, 160), (530, 240), (516, 240))
    s.line((594, 214), (594, 320))
    s.polygon((570, 320), (618, 320), (618, 372), (570, 372))
    s.symbol((594, 346), "M")
    s.save("hipho/image_question/Sample_2026_zh_1_1.png")


def draw_stopping_voltage() -> None:
    """HiPhO zh 2: stopping voltage against frequency."""
    s = Sheet(620, 460)
    axes = Axes(s, (100, 70, 430, 320), 12, 3)
    axes.ticks([2, 4, 6, 8, 10, 12], [1, 2, 3])
    s.line(axes.at(5, 0), axes.at(11.6, 6.6 * 2.07 / 5), color=BLUE, width=3)
    mark = axes.at(10, 2.07)
    s.line((axes.left, mark[1]), mark, (mark[0], axes.at(0, 0)[1]), color=RED, width=1.4, dash=6)
    s.circle(mark, 6, fill=RED, color=RED)
    s.text((mark[0] - 84, mark[1] - 22), "(10.0, 2.07)", 18, color=RED)
    s.circle(axes.at(5, 0), 6, fill=RED, color=RED)
    s.text((axes.at(5, 0)[0] - 52, axes.at(5, 0)[1] - 18), "(5.0, 0)", 18, color=RED)
    s.symbol((124, 34), "U_s")
    s.text((148, 34), "/ V", 19, anchor="lm")
    s.symbol((486, 436), "ν")
    s.text((500, 436), "/ 10¹⁴ Hz", 19, anchor="lm")
    s.save("hipho/image_question/Sample_2026_zh_2_1.png")


def draw_cart() -> None:
    """HiPhO zh 3: a ball slides down a quarter circle cut into a cart that is free to move."""
    s = Sheet(640, 400)
    arc = [(420 - 200 * math.cos(math.radians(t)), 110 + 200 * math.sin(math.radians(t))) for t in range(91)]
    s.polygon((130, 110), *arc, (420, 345), (130, 345))
    for x in (185, 370):
        s.circle((x, 357), 13, fill="white")
    s.hatch((610, 371), (50, 371), depth=-10)
    s.circle((237, 112), 15, fill=BLUE)
    s.symbol((262, 88), "m", color=BLUE)
    s.symbol((178, 250), "M")
    s.line((420, 110), (420, 310), color=FAINT, width=1.5, dash=7)
    s.line((254, 110), (420, 110), color=FAINT, width=1.5, dash=7)
    s.circle((420, 110), 4, fill=INK)
    s.symbol((440, 210), "R")
    s.save("hipho/image_question/Sample_2026_zh_3_1.png")


def draw_beam() -> None:
    """PhyX 0: a hinged beam held by a cable, with a lamp."""
    s = Sheet(620, 440)
    s.hatch((90, 400), (90, 50), depth=-12)
    s.polygon((92, 292), (520, 292), (520, 308), (92, 308))
    s.circle((100, 300), 6, fill="white")
    s.line((90, 300 - 430 * math.tan(math.radians(30))), (520, 294), width=2.5)
    s.arc((520, 300), 92, 180, 209, width=1.6)
    s.text((396, 272), "30°", 20)
    s.line((413, 308), (413, 346))
    s.circle((413, 362), 16, fill="#f2d479")
    s.text((440, 362), "120 N", 20, anchor="lm")
    s.span((100, 326), (413, 326))
    s.text((250, 346), "3.0 m", 19)
    s.span((100, 410), (520, 410))
    s.text((310, 428), "4.0 m", 19)
    s.save("phyx/images/0.png")


def draw_circuit() -> None:
    """PhyX 1: one resistor before two in parallel."""
    s = Sheet(620, 400)
    s.line((90, 190), (90, 80), (440, 80))
    s.line((90, 222), (90, 340), (540, 340), (540, 80), (440, 80))
    s.line((64, 190), (116, 190), width=2.5)
    s.line((76, 222), (104, 222), width=6)
    s.text((48, 206), "12 V", 19)
    s.text((124, 180), "+", 20)
    s.line((360, 80), (360, 340))
    for x, y, is_flat, value in ((215, 80, True, "2.0 Ω"), (360, 210, False, "6.0 Ω"), (540, 210, False, "3.0 Ω")):
        w, h = (44, 14) if is_flat else (14, 44)
        s.polygon((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h), fill="white")
        s.text((x, y - 32) if is_flat else (x - 54, y), value, 19)
    s.arrow((540, 290), (540, 312), color=RED, width=2.5, head=13)
    s.symbol((562, 300), "I", color=RED)
    for point in ((360, 80), (360, 340)):
        s.circle(point, 4, fill=INK)
    s.save("phyx/images/1.png")


def draw_wall() -> None:
    """PhyX 2: a wall of two layers between two temperatures."""
    s = Sheet(640, 400)
    s.polygon((180, 60), (380, 60), (380, 330), (180, 330), fill="#e8d9c5")
    s.polygon((380, 60), (480, 60), (480, 330), (380, 330), fill="#f6f0c8")
    s.text((280, 150), "brick", 20)
    s.text((280, 185), "0.80 W/(m·K)", 17)
    s.text((430, 150), "wool", 20)
    s.text((431, 185), "0.040", 17)
    s.text((431, 206), "W/(m·K)", 17)
    s.text((92, 160), "20 °C", 22, color=RED)
    s.text((92, 192), "inner face", 17)
    s.text((562, 160), "−10 °C", 22, color=BLUE)
    s.text((562, 192), "outer face", 17)
    s.span((180, 350), (380, 350))
    s.text((280, 372), "0.20 m", 19)
    s.span((380, 350), (480, 350))
    s.text((430, 372), "0.10 m", 19)
    s.save("phyx/images/2.png")


def draw_string() -> None:
    """PhyX 3: a string that vibrates in three loops."""
    s = Sheet(660, 300)
    s.hatch((60, 200), (60, 80), depth=-10)
    s.hatch((600, 80), (600, 200), depth=-10)
    for height, color in ((-46, BLUE), (46, FAINT)):
        s.line(*[(60 + 540 * k / 240, 140 + height * math.sin(3 * math.pi * k / 240)) for k in range(241)], color=color)
    s.span((60, 236), (600, 236))
    s.text((330, 258), "1.20 m", 19)
    s.text((330, 40), "150 Hz", 19)
    s.save("phyx/images/3.png")


def draw_lens() -> None:
    """PhyX 4: an object before a thin converging lens."""
    s = Sheet(660, 340)
    s.line((40, 180), (620, 180), color=FAINT, width=1.5)
    s.arc((470, 180), 200, 148, 212, color=BLUE)
    s.arc((130, 180), 200, -32, 32, color=BLUE)
    s.arrow((75, 180), (75, 100), width=3, head=14)
    s.text((75, 80), "object", 18)
    for x in (150, 450):
        s.circle((x, 180), 5, fill=INK)
        s.symbol((x, 206), "F")
    s.span((75, 260), (300, 260))
    s.text((188, 282), "30 cm", 19)
    s.span((300, 236), (450, 236))
    s.text((376, 258), "20 cm", 19)
    s.text((300, 50), "lens", 18)
    s.save("phyx/images/4.png")


def draw_levels() -> None:
    """PhyX 5: three energy levels of a made-up atom."""
    s = Sheet(560, 420)
    for y, name, value in ((340, "1", "−9.00 eV"), (190, "2", "−5.00 eV"), (96, "3", "−2.50 eV")):
        s.line((130, y), (390, y), width=3)
        s.text((112, y), f"n = {name}", 19, anchor="rm")
        s.text((406, y), value, 19, anchor="lm")
    for x, start, end in ((190, 96, 190), (260, 190, 340), (330, 96, 340)):
        s.arrow((x, start + 2), (x, end - 2), color=BLUE)
    s.arrow((30, 380), (30, 40))
    s.symbol((52, 44), "E")
    s.save("phyx/images/5.png")


def draw_speed() -> None:
    """PhyX 6: speed against time of a tram between two stops."""
    s = Sheet(620, 420)
    axes = Axes(s, (90, 70, 440, 270), 14, 10)
    axes.ticks([2, 4, 6, 8, 10, 12, 14], [2, 4, 6, 8, 10])
    s.line(*[axes.at(*p) for p in ((0, 0), (4, 8), (10, 8), (12, 0))], color=BLUE, width=3.5)
    s.symbol((112, 34), "v")
    s.text((124, 34), "/ (m/s)", 19, anchor="lm")
    s.symbol((486, 390), "t")
    s.text((498, 390), "/ s", 19, anchor="lm")
    s.save("phyx/images/6.png")


def draw_loop() -> None:
    """PhyX 7: a loop of wire that is pulled into a field."""
    s = Sheet(640, 380)
    s.pen.rectangle((330 * SCALE, 50 * SCALE, 590 * SCALE, 330 * SCALE), fill="#eef3f8")
    for x in range(360, 590, 50):
        for y in range(80, 330, 50):
            s.circle((x, y), 3, fill=FAINT, color=FAINT)
            s.circle((x, y), 9, color=FAINT, width=1.3)
    s.line((330, 50), (330, 330), color=FAINT, width=1.5, dash=7)
    s.line((210, 110), (380, 110), (380, 270), (210, 270), (210, 110), color=BLUE, width=4)
    s.span((180, 110), (180, 270))
    s.text((140, 190), "0.20 m", 19)
    s.span((210, 296), (380, 296))
    s.text((282, 318), "0.25 m", 19)
    s.arrow((226, 190), (306, 190), color=RED, width=3, head=14)
    s.text((262, 168), "3.0 m/s", 19, color=RED)
    s.text((470, 28), "0.50 T, out of the page", 18)
    s.save("phyx/images/7.png")


FIGURES = (
    (draw_wire, draw_quarter, draw_cycle, draw_rails, draw_stopping_voltage, draw_cart)  # HiPhO format
    + (draw_beam, draw_circuit, draw_wall, draw_string, draw_lens, draw_levels, draw_speed, draw_loop)  # PhyX format
)

if __name__ == "__main__":
    for draw in FIGURES:
        draw()
