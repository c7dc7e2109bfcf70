import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> }

/** Runs the script of a tool as npm does. */
const run = (tool: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [...(scripts[tool] ?? '').split(' ').slice(1), ...args], { encoding: 'utf8' })

test.each(['bench', 'fuzz', 'oracle', 'overload', 'soak'])('npm run %s tells how it is used', tool => {
  const helped = run(tool, '--help')
  expect(helped).toMatchObject({ status: 0, stderr: '' })
  expect(helped.stdout).toContain(`npm run ${tool} -- [`)

  const misread = run(tool, '--nope')
  expect(misread).toMatchObject({ status: 2, stdout: '' })
  expect(misread.stderr).toContain("Unknown option '--nope'")
  expect(misread.stderr.endsWith(helped.stdout)).toBe(true)
})
