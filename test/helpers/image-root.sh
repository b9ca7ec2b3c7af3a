# Runs a command in the file tree of the container image, as Docker would with --read-only: to be started in mount and PID namespaces
# of its own. What the base image gives, Node and the C library, is borrowed from this machine. Only $data can be written.
set -e
root=$1 tree=$2 data=$3 node=$4 workdir=$5
shift 5
mount --make-rprivate /
mount -t tmpfs tmpfs "$root"
cp -a "$tree/." "$root/"
for each in usr/bin usr/lib usr/lib64 dev; do
  [ ! -d "/$each" ] || { mkdir -p "$root/$each" && mount --rbind "/$each" "$root/$each"; }
done
for each in bin lib lib64; do ln -s "usr/$each" "$root/$each"; done
touch "$root/usr/local/bin/node" && mount --bind "$node" "$root/usr/local/bin/node"
mount --bind "$data" "$root/data"
mkdir "$root/proc" "$root/tmp" && mount -t proc proc "$root/proc"
mount -o remount,ro "$root"
drop='--reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs'
# shellcheck disable=SC2086
exec chroot "$root" setpriv $drop sh -c 'cd "$0" && exec "$@"' "$workdir" "$@"
