/**
 * The real server over the real disk, whose receipts for the log are wrong once a file `break` exists in the current
 * folder: something that no disk does, but a fault of the server could.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../../src/app/app.ts'
import { run } from '../../../src/app/run.ts'
import type { Disk } from '../../../src/disk/disk.ts'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'

const createWrongDisk = (directory: string): Disk => {
  mkdirSync(directory, { recursive: true })
  const disk = createNodeDisk({ directory })
  return {
    ...disk,
    create: async path => {
      const file = await disk.create(path)
      const isWrong = (): boolean => path.startsWith('log/') && existsSync('break')
      return { ...file, append: async bytes => (await file.append(bytes)) + (isWrong() ? 1 : 0) }
    },
  }
}

await run(options => createApp({ ...options, disk: createWrongDisk(join(options.settings['data.dir'], '.diskpool')) }))
