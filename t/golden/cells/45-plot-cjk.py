import warnings

import matplotlib.pyplot as plt

warnings.filterwarnings("error", message="Glyph")
plt.title("売上 销售 한국어 Ελ Ж −€")
plt.plot([1, 2], label="売上")
plt.legend()
plt.show()
