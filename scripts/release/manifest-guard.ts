/** Puts the clone's manifest back once npm has ended, should npm not have done so itself: it may be killed. */
import { setTimeout } from 'node:timers/promises'
import { restoreManifest } from './restore-manifest.ts'

const npm = Number(process.argv[2])
const pollMs = 50

const isRunning = (): boolean => {
  try {
    return process.kill(npm, 0)
  } catch {
    return false
  }
}

while (isRunning()) await setTimeout(pollMs)
restoreManifest()
