from dataclasses import dataclass, field


@dataclass(order=True)
class Point:
    x: int
    tags: list = field(default_factory=list)

    def moved(self, by):
        return Point(self.x + by, [*self.tags, "moved"])


def total(points):
    return sum(p.x for p in points)


points = [Point(1).moved(i) for i in range(3)]
print(total(points), max(points), Point.__module__)
points
