%%bash
for i in 1 2; do
    echo "line $i"
done
echo oops >&2
