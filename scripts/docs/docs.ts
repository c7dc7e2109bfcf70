// `npm run docs`: makes the pages a site, in docs/site/dist, and checks its links. What it needs is installed in docs/site, with
// a lock of its own, when it is first needed; after that nothing of the network is. `npm run docs -- dev` serves the pages while
// they are written.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBrokenLinks } from './check-links.ts'
import { root } from './site-pages.ts'

const home = join(root, 'docs/site')
const stamp = join(home, 'node_modules/.lock-hash')

/** Runs a program in the folder of the site. Ends the process where it fails. */
const run = (command: string, ...args: readonly string[]): void => {
  const { status } = spawnSync(command, args, { cwd: home, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

const installOnce = (): void => {
  const hash = createHash('sha256')
    .update(readFileSync(join(home, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  console.log('Installing what makes the site (only the first time, and after it changes) ...')
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error')
  writeFileSync(stamp, hash)
}

const main = (): void => {
  installOnce()
  const [command = 'build', ...args] = process.argv.slice(2)
  run(process.execPath, join(home, 'node_modules/vitepress/bin/vitepress.js'), command, ...args)
  if (command !== 'build') return
  const broken = findBrokenLinks(join(home, 'dist'))
  for (const link of broken) console.error(`leads nowhere: ${link}`)
  if (broken.length > 0) process.exit(1)
  console.log('The site is in docs/site/dist; all of its links lead somewhere.')
}

main()
