from IPython.display import JSON

display(JSON({"nan": float("nan"), "inf": float("-inf"), "big": 2**40, "s": "\u2028</script>"}))
JSON([[], {}, "", 0, -1, 1e-300])
