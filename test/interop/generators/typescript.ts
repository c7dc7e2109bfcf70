import { copyFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language, type Run } from './language.ts'
import { start } from './programs.ts'

/** What a new project of today has. */
const compilerOptions = {
  strict: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'commonjs',
  moduleResolution: 'bundler',
  types: ['node'],
  typeRoots: [resolve('node_modules/@types')],
  rootDir: '.',
  outDir: 'built',
}

/** Compiles `journey.ts` with the client in `client/`, as a new project would. */
export const compileTypescript = async (directory: string): Promise<Run> => {
  const project = { compilerOptions, include: ['journey.ts', 'client/**/*.ts'] }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(project))
  await writeFile(join(directory, 'package.json'), '{"type":"commonjs"}')
  const tsc = resolve('node_modules/typescript/bin/tsc')
  await start(process.execPath, [tsc, '-p', 'tsconfig.json'], { cwd: directory })
  return (...args) => start(process.execPath, ['built/journey.js', ...args], { cwd: directory })
}

/** `fetch`, in Node and in browsers. */
export const typescript: Language = {
  name: 'typescript-fetch',
  library: 'fetch',
  options: ['-g', 'typescript-fetch'],
  integers: 'doubles',
  limits:
    'JavaScript’s numbers: integers beyond 2^53 are rounded, in and out; [the package’s own client](generated/README.md) is exact',
  missing: async () => undefined,
  build: async ({ directory }) => {
    await copyFile(fileURLToPath(new URL('journey.ts', driversUrl)), join(directory, 'journey.ts'))
    return compileTypescript(directory)
  },
}
