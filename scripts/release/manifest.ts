/** The manifest of the package as people install it. */
import packageJson from '../../package.json' with { type: 'json' }

/** Fields of the clone's manifest that count there too: not its commands, its tools, nor the Node for who has an old one. */
const shared = [
  ...(['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'files', 'exports'] as const),
  ...(['dependencies', 'peerDependencies', 'peerDependenciesMeta'] as const),
]

export const publishedManifest = Object.fromEntries(shared.map(field => [field, packageJson[field]]))
