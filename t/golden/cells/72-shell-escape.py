!echo from the shell; echo to stderr >&2
names = !printf 'a\nb\n'
word = "value"
!echo {word} $word
names
