/** Scripts that tests start a thousand times, in a few files each: the same code, in half the time of a start. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')

/** What a test may start. */
const scripts = ['src/main.ts', 'test/suites/crash-child.ts']

/** All that can change what is in the files. */
const sources = ['{src,admin,test/suites}/**/*.*', 'package.json', 'node_modules/.package-lock.json']

let directory: Promise<string> | undefined

/**
 * What to start in place of a script of {@link scripts}. The vitest configuration says where bundles are kept; elsewhere,
 * and where coverage is measured, it is the script.
 */
export const bundled = async (script: string): Promise<string> => {
  const home = process.env['SLUICE_TEST_BUNDLES']
  if (!home) return join(root, script)
  directory ??= findBundle(home)
  return join(await directory, 'src', `${basename(script, '.ts')}.js`)
}

/** The directory of these sources' bundle. It appears whole or not at all: several workers may want it at once. */
const findBundle = async (home: string): Promise<string> => {
  const found = join(home, hashSources())
  if (await exists(found)) return found
  await mkdir(home, { recursive: true })
  await removeOld(home)
  const fresh = await mkdtemp(join(home, 'fresh-'))
  await build(fresh)
  await rename(fresh, found).catch(async error => {
    await rm(fresh, { recursive: true })
    if (!(await exists(found))) throw error
  })
  return found
}

const hashSources = (): string => {
  const hash = createHash('sha256')
  for (const path of globSync(sources, { cwd: root }).sort()) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 16)
}

/** One directory with all of them, `src`: threads are looked for beside the code that starts them. */
const build = async (directory: string): Promise<void> => {
  const input = Object.fromEntries(
    [...scripts, ...findThreads()].map(path => [basename(path, '.ts'), join(root, path)]),
  )
  const bundle = await rolldown({ input, platform: 'node', external: isPackage })
  try {
    await bundle.write({ dir: join(directory, 'src'), format: 'es', chunkFileNames: 'chunk-[hash].js' })
  } finally {
    await bundle.close()
  }
  for (const assets of globSync('src/**/static', { cwd: root }))
    await cp(join(root, assets), join(directory, 'static'), { recursive: true })
  await cp(join(root, 'admin/console/static'), join(directory, 'src/static'), { recursive: true })
}

/** Packages stay as they are: they load files of their own, and the optional one may be missing. */
const isPackage = (id: string): boolean => packages.some(name => id === name || id.startsWith(`${name}/`))

const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: object
  readonly peerDependencies: object
}
const packages = Object.keys({ ...dependencies, ...peerDependencies })

/** The threads and processes that the server starts beside itself. */
const findThreads = (): readonly string[] =>
  globSync('src/**/*.ts', { cwd: root }).flatMap(path =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/siblingModule\(import\.meta\.url, '([\w-]+)'\)/g)].map(
      ([, name]) => join(dirname(path), `${name}.ts`),
    ),
  )

const weekMs = 7 * 86_400_000

/** Those that no run uses any more. */
const removeOld = async (home: string): Promise<void> => {
  for (const name of await readdir(home)) {
    const path = join(home, name)
    // Another worker may have finished it meanwhile, under its name.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > weekMs) await rm(path, { recursive: true, force: true })
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
