import base64

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


class Every:
    __repr__ = lambda self: "Every()"
    _repr_html_ = lambda self: "<b>h</b>"
    _repr_markdown_ = lambda self: "**m**"
    _repr_svg_ = lambda self: "<svg/>"
    _repr_latex_ = lambda self: "$l$"
    _repr_javascript_ = lambda self: "0"
    _repr_json_ = lambda self: {"j": [1]}
    _repr_png_ = lambda self: PNG


Every()
