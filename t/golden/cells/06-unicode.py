name = "売上 销售 한국어 Ελ Ж −€ 🙂"
print(name)
display(name)
{"キー": name, "combining": "e\u0301", "bidi": "\u05d0\u05d1"}
