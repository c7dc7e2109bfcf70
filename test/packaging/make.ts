import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** Without what an npm around this test says to its children; Deno takes any FORCE_COLOR for a wish for colours. */
const plain = Object.entries(process.env).filter(([name]) => !/^npm_|^FORCE_COLOR$/.test(name))
const path = [dirname(process.execPath), resolve('node_modules/.bin'), process.env['PATH']].join(delimiter)

/** What a person's shell says to a program, and where this Node is. */
export const env: Readonly<Record<string, string>> = { ...Object.fromEntries(plain), NO_COLOR: '1', PATH: path }

/** Runs a program to its end and gives what it printed. @throws Error with what it said, when it fails */
export const run = async (
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: object },
): Promise<string> =>
  (await promisify(execFile)(program, args, { ...options, env: { ...env, ...options.env }, maxBuffer: 2 ** 26 })).stdout

/**
 * A clone of the working tree, changed files included, as one commit on `main`. Its packages are those of here. Making
 * packages builds, which here would change what `bin/sluice.js` starts.
 * @param isBare with the tests, and without packages: like a fresh clone
 */
export const cloneHere = async (
  directory: string,
  { isBare = false }: { readonly isBare?: boolean } = {},
): Promise<void> => {
  const here = { cwd: resolve('.') }
  mkdirSync(directory, { recursive: true })
  const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], here)
  const files = listed
    .split('\0')
    .filter(file => file !== '' && existsSync(file) && (isBare || !file.startsWith('test/')))
  const list = join(directory, 'files.tmp')
  writeFileSync(list, files.join('\0'))
  await run('sh', ['-c', `tar -cf - --null -T '${list}' | tar -xf - -C '${directory}'`], here)
  const git = (...args: readonly string[]) => run('git', args, { cwd: directory })
  await git('init', '--quiet', '--initial-branch=main')
  await git('config', 'user.name', 'Test')
  await git('config', 'user.email', 'test@example.org')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'as it stands')
  writeFileSync(join(directory, '.git/info/exclude'), 'node_modules\n')
  if (!isBare) symlinkSync(resolve('node_modules'), join(directory, 'node_modules'))
}

/** Installs packages, or packed files, into a folder as a person would. */
export const install = async (directory: string, packages: readonly string[]): Promise<void> => {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...quiet, ...packages], { cwd: directory })
}
