/** The manifest of the package as people install it. */
import packageJson from '../../package.json' with { type: 'json' }

/** Fields of the clone's manifest that count there too: not its commands, its tools, nor the Node for who has an old one. */
const shared = [
  ...(['name', 'version', 'description', 'license', 'type', 'bin', 'files', 'exports'] as const),
  ...(['dependencies', 'peerDependencies', 'peerDependenciesMeta'] as const),
]

/** A clone brings its own Node, which any Node from 18 on starts; an installed package does not. */
export const engines = { node: '^22.22.0 || >=24.6.0' }

const main = packageJson.exports['.']

/** The types of each subpath of `exports`, by its name: `client` for `sluice/client`. */
const typesOfSubpaths = Object.fromEntries(
  Object.entries(packageJson.exports).flatMap(([subpath, { types }]) =>
    subpath === '.' ? [] : [[subpath.slice(2), [types]] as const],
  ),
)

export const publishedManifest = Object.fromEntries([
  ...shared.map(field => [field, packageJson[field]] as const),
  ['engines', engines] as const,
  // For compilers with moduleResolution node10, which do not read exports.
  ['main', main.default] as const,
  ['types', main.types] as const,
  ['typesVersions', { '*': typesOfSubpaths }] as const,
])
