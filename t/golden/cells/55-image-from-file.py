from IPython.display import Image
from PIL import Image as Pillow

Pillow.new("RGB", (20, 10), "red").save("/tmp/red.png")
Pillow.new("RGB", (30, 15), "blue").save("/tmp/blue.jpeg")
display(Image("/tmp/red.png"))
Image(filename="/tmp/blue.jpeg", width=60)
