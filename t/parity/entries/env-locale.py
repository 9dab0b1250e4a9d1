# SPDX-License-Identifier: Apache-2.0
#: title locale C.UTF-8, time zone UTC, other zones known
#: out UTF-8 utf-8 surrogateescape
#: out ('UTC', 'UTC') 0
#: out 2026-07-01T14:00:00+02:00
#: out 1,234.5 %
import datetime
import locale
import sys
import time
import zoneinfo

print(
    locale.getencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
)
print(time.tzname, time.timezone)
noon = datetime.datetime(2026, 7, 1, 12, tzinfo=datetime.UTC)
print(noon.astimezone(zoneinfo.ZoneInfo("Europe/Berlin")).isoformat())
print(f"{1234.5:,} %")
