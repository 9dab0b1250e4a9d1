import locale
import os
import sys
import time
from zoneinfo import ZoneInfo

locale.setlocale(locale.LC_ALL, "")
print(
    "API_TOKEN" in os.environ,
    "/nope" in sys.path,
    sys.stdout.encoding.lower(),
    locale.getpreferredencoding().upper(),
)
with open("\u00fc.txt", "w") as f:
    f.write("\u00fc\u20ac")
print(os.path.getsize("\u00fc.txt"), sorted(os.listdir(b"."))[-1])
with open("/proc/cmdline") as f:
    print(time.tzname[0], ZoneInfo("Europe/Berlin").key, "s3cret" in f.read())
