import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Held } from '../suites/close-child.ts'

test('R12: a server that is closed leaves no timer and no listener', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-close-'))
  try {
    const script = join(import.meta.dirname, '../suites/close-child.ts')
    const output = execFileSync(process.execPath, [script, directory], { encoding: 'utf8' })
    const { status, before, during, after } = JSON.parse(output) as Held
    expect(status).toBe(202)
    expect(during).toBeGreaterThan(before)
    expect(after).toBe(before)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
