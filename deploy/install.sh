#!/bin/sh
# Installs a packed Pinyon (npm pack) as a systemd service: deploy/install.sh pinyon-VERSION.tgz. Run as root.
# Installing a later version over an earlier one keeps data and settings; nothing is started or restarted. A running
# server goes on with the files of its release, which a later installation removes.
set -eu
# The server's user must read and run all of it.
umask 022

PACKAGE=${1:-}
PREFIX=${PREFIX:-/opt/pinyon}
CONFIG=${CONFIG:-/etc/pinyon}
UNITS=${UNITS:-/etc/systemd/system}
BIN=${BIN:-/usr/local/bin}

fail() {
  echo "$1" >&2
  exit 1
}

[ -f "$PACKAGE" ] || fail "usage: $0 pinyon-VERSION.tgz"
[ "$(id -u)" = 0 ] || fail "$0 must run as root"
command -v npm >/dev/null || fail "npm is needed for the installation: install Node 20 or newer first"

getent passwd pinyon >/dev/null || useradd --system --user-group --home-dir /var/lib/pinyon --no-create-home \
  --shell /usr/sbin/nologin pinyon

mkdir -p "$PREFIX/releases"
ROOT=$(realpath "$PREFIX")
RELEASES="$ROOT/releases"
CURRENT="$ROOT/current"
chmod 0755 "$ROOT" "$RELEASES"

# A running server loads files of its release at any time.
is_running() {
  [ -n "$(find /proc -maxdepth 2 -name exe -lname "$1/*" 2>/dev/null)" ]
}

# What an earlier installation has replaced. The second place is that of version 0.1.0.
if [ -L "$CURRENT" ]; then
  for OLD in "$RELEASES"/* "$ROOT/node_modules"; do
    [ "$OLD" = "$(realpath "$CURRENT")" ] || is_running "$OLD" || rm -rf "$OLD"
  done
fi

# Into a folder of its own, so that a failed installation leaves the present one whole.
FRESH=$(mktemp -d "$RELEASES/$(date +%Y%m%d)-XXXXXX")
chmod 0755 "$FRESH"
npm install --prefix "$FRESH" --no-save --no-audit --no-fund --loglevel=error "$(realpath "$PACKAGE")"
mkdir "$FRESH/bin"
# The unit needs one program that runs on the runtime of the package, whatever Node the machine has.
cat > "$FRESH/bin/pinyon" <<'PROGRAM'
#!/bin/sh
HERE=$(dirname "$(dirname "$(realpath "$0")")")/node_modules
exec "$HERE/node/bin/node" "$HERE/pinyon/bin/pinyon.mjs" "$@"
PROGRAM
chmod 0755 "$FRESH/bin/pinyon"
cp "$FRESH/node_modules/pinyon/README.md" "$FRESH/README.md"
VERSION=$(runuser -u pinyon -- "$FRESH/bin/pinyon" --version) ||
  fail "the user pinyon cannot run $FRESH/bin/pinyon: may it read $(dirname "$PREFIX")? The former installation stays."

# Renaming a link over the former one is atomic.
switch() {
  ln -sfn "$2" "$1.new"
  mv -T "$1.new" "$1"
}
switch "$CURRENT" "releases/$(basename "$FRESH")"
mkdir -p "$ROOT/bin"
switch "$ROOT/bin/pinyon" ../current/bin/pinyon
switch "$ROOT/README.md" current/README.md

# On the PATH, unless another installation's command is there.
LINK="$BIN/pinyon"
if [ ! -e "$LINK" ] && [ ! -L "$LINK" ]; then
  mkdir -p "$BIN"
  ln -s "$PREFIX/bin/pinyon" "$LINK"
elif [ "$(readlink "$LINK")" != "$PREFIX/bin/pinyon" ]; then
  echo "$LINK is something else and stays. The command of this installation is $PREFIX/bin/pinyon." >&2
fi

mkdir -p "$CONFIG"
if [ ! -e "$CONFIG/pinyon.env" ]; then
  printf '# Settings of the Pinyon service, NAME=value: see docs/reference/settings.md.\n' > "$CONFIG/pinyon.env"
  chmod 0600 "$CONFIG/pinyon.env"
fi
install -m 0644 "$(dirname "$0")/systemd/pinyon.service" "$UNITS/pinyon.service"
echo "Installed $VERSION in $PREFIX. Next: systemctl daemon-reload && systemctl enable --now pinyon"
