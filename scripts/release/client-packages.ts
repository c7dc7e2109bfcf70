/**
 * The clients as packages of their own, which bring nothing of the server: the code that they share with it is in each. Their
 * manifests in the clone say name, description and source; what is to be installed gets the rest here.
 */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { rolldown } from 'rolldown'
import { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { buildBeacon, buildBeaconScript } from '../generate/beacon.ts'
import { engines } from './manifest.ts'

const manifestShape = z.object({
  name: z.templateLiteral(['@sluice/', z.string()]),
  description: z.string(),
  exports: z.object({ '.': z.templateLiteral(['./', z.string(), '.ts']) }),
})
type Manifest = z.infer<typeof manifestShape>

/** Makes a folder for each in `directory` and gives their names; their types are those of `dist`, where the sources were built. */
export const buildClientPackages = async (dist: string, directory: string): Promise<readonly string[]> => {
  const names: string[] = []
  for (const file of globSync('clients/*/package.json').sort()) {
    const manifest = manifestShape.parse(JSON.parse(readFileSync(file, 'utf8')))
    const name = manifest.name.replace('@sluice/', '')
    await buildClientPackage(manifest, dirname(file), dist, join(directory, name))
    names.push(name)
  }
  // For pages that load no packages.
  writeFileSync(join(directory, 'beacon/beacon.min.js'), await buildBeacon())
  writeFileSync(join(directory, 'beacon/beacon.global.min.js'), await buildBeaconScript())
  return names
}

/** One module with all that it needs, and the declarations as they are. */
const buildClientPackage = async (manifest: Manifest, source: string, dist: string, directory: string) => {
  mkdirSync(directory, { recursive: true })
  const input = join(source, manifest.exports['.'])
  const imported = await bundle(input, join(directory, 'index.js'))
  const types = input.replace(/\.ts$/, '.d.ts')
  for (const file of declarations(dist, types))
    cpSync(join(dist, file), join(directory, 'types', file), { recursive: true })
  // Without a clone around only the names of other clients count.
  const readme = readFileSync(join(source, 'README.md'), 'utf8').replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1')
  writeFileSync(join(directory, 'README.md'), readme)
  cpSync('LICENSE', join(directory, 'LICENSE'))
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(toPublished(manifest, types, imported), null, 2)}\n`)
}

/** Puts a module and what it imports of the clone into one file; gives the packages and modules of Node it still imports. */
const bundle = async (input: string, file: string): Promise<readonly string[]> => {
  const build = await rolldown({ input, external: /^node:|^[a-z@]/, treeshake: { moduleSideEffects: false } })
  try {
    const { output } = await build.write({ file, format: 'es', minify: 'dce-only' })
    return output[0].imports
  } finally {
    await build.close()
  }
}

const toPublished = ({ name, description }: Manifest, types: string, imported: readonly string[]) => {
  const { version, license, type, dependencies } = packageJson
  const needed = Object.entries(dependencies).filter(([one]) => imported.includes(one))
  const main = { types: `./types/${types}`, default: './index.js' }
  return {
    name,
    version,
    description,
    license,
    type,
    ...(imported.some(one => one.startsWith('node:')) ? { engines } : {}),
    sideEffects: false,
    // For compilers with moduleResolution node10, which do not read exports.
    main: main.default,
    types: main.types,
    exports: { '.': main, ...(name === '@sluice/beacon' ? { './*.min.js': './*.min.js' } : {}) },
    dependencies: Object.fromEntries(needed),
  }
}

/** A declaration and all that it imports, by their paths in `dist`. */
const declarations = (dist: string, file: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(file)) return found
  found.add(file)
  const text = readFileSync(join(dist, file), 'utf8')
  for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)\.ts'/g))
    declarations(dist, `${normalize(join(dirname(file), target))}.d.ts`, found)
  return found
}
