text = "".join(chr(i) for i in range(32)) + '"\\</script>\u2028\x7f\x85'
print(text.replace("\r", "").replace("\x08", ""))
text
