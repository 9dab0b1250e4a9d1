from PIL import Image, ImageDraw

image = Image.new("RGB", (64, 32), "white")
ImageDraw.Draw(image).rectangle((8, 8, 40, 24), fill="blue")
display(image)
image.resize((16, 8)).convert("RGBA")
