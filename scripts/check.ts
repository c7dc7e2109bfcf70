/** Types, lint and unused code, all at once: `npm run check:code`. The output of each check is printed when it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

const checks = [
  // Only what a change can affect is checked again.
  'tsc --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo',
  'tsc -p tsconfig.browser.json',
  'biome ci --error-on-warnings',
  'oxlint --deny-warnings',
  'knip --production',
]

const passes = async (check: string): Promise<boolean> => {
  const started = performance.now()
  const child = spawn(`${check} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  if (code !== 0) process.stdout.write(output)
  console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${check} (${seconds} s)`)
  return code === 0
}

const results = await Promise.all(checks.map(passes))
process.exitCode = results.every(Boolean) ? 0 : 1
