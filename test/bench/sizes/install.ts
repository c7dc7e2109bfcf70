/** What an installation takes on the disk, made in a temporary copy. */
import { execFile } from 'node:child_process'
import { cp, lstat, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { MeasureSizes, SizeRow } from './size.ts'
import { toMegabytes } from './size.ts'

const run = promisify(execFile)
const timeoutMs = 300_000
const root = join(import.meta.dirname, '../../..')

/** `npm ci --omit=dev`, with the Node runtime that is an optional dependency and without. */
export const measureInstall: MeasureSizes = async ({ directory }) => {
  const copy = await mkdtemp(join(directory, 'install-'))
  try {
    for (const name of ['package.json', 'package-lock.json']) await cp(join(root, name), join(copy, name))
    const whole = await install(copy, [])
    const lean = await install(copy, ['--omit=optional'])
    return [
      { what: '`npm ci --omit=dev`, with Node as an optional package', ...whole },
      { what: '`npm ci --omit=dev --omit=optional`', ...lean },
    ]
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** `npm run build`, and the sources beside it. */
export const measureBuild: MeasureSizes = async ({ directory }): Promise<readonly SizeRow[]> => {
  const copy = await mkdtemp(join(directory, 'build-'))
  try {
    const names = [
      'src',
      'admin',
      'clients',
      'scripts',
      'bin',
      'openapi.yaml',
      'package.json',
      'tsconfig.json',
      'LICENSE',
    ]
    for (const name of [...names, 'tsconfig.build.json'])
      await cp(join(root, name), join(copy, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const PATH = [join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter)
    const options = { cwd: copy, timeout: timeoutMs, env: { ...process.env, PATH } }
    await run(process.execPath, [join(copy, 'scripts/build.ts')], options)
    const sources = await Promise.all(['src', 'admin', 'clients'].map(name => sizeOf(join(copy, name))))
    return [
      {
        what: '`npm run build`',
        value: toMegabytes(await sizeOf(join(copy, 'dist'))),
        beside: `${toMegabytes(sources.reduce((sum, bytes) => sum + bytes, 0))} (sources)`,
      },
    ]
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

const install = async (copy: string, more: readonly string[]): Promise<Pick<SizeRow, 'value' | 'beside'>> => {
  const args = ['ci', '--omit=dev', ...more, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await run('npm', args, { cwd: copy, timeout: timeoutMs })
  const modules = join(copy, 'node_modules')
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
  return {
    value: `${toMegabytes(await sizeOf(modules))}, ${Object.keys(lock.packages).length} packages`,
    beside: '–',
  }
}

/** Bytes on the disk of everything below, as `du` counts them. */
const sizeOf = async (path: string): Promise<number> => {
  const { blocks } = await lstat(path)
  const children = (await lstat(path)).isDirectory() ? await readdir(path) : []
  let bytes = blocks * 512
  for (const name of children) bytes += await sizeOf(join(path, name))
  return bytes
}
