/** The command `sluice` of an installation that brings its Node. */
import engineOptions from '../../bin/engine-options.json' with { type: 'json' }

/**
 * Finds its folder with what the shell itself can do, since nothing else need be on the `PATH`; only a link to it takes a
 * `readlink`. The server starts with its engine's options at once, and so not twice.
 */
export const launcher = `#!/bin/sh
self=$0
if [ -L "$self" ]; then self=$(PATH="$PATH:/usr/bin:/bin" readlink -f -- "$self"); fi
lib=$(CDPATH= cd -- "\${self%/*}/../lib/sluice" && pwd -P) || exit 1
if [ "\${1-}" = serve ]; then
  exec "$lib/bin/node" ${engineOptions.join(' ')} "$lib/bin/sluice.js" "$@"
fi
exec "$lib/bin/node" "$lib/bin/sluice.js" "$@"
`
