{
    "numbers": [1, 2.5, 3 + 4j, True, None],
    "bytes": b"\x00\xff",
    "set": {"one"},
    "tuple": (1,),
    "range": range(3),
    "long": ["item number %d of the list" % i for i in range(8)],
}
