import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { toBytes, toCount } from '../print/units.ts'
import { type DoctorCheck, ok, warn } from './check.ts'

/** Each connection and each open file takes one. */
const fewestDescriptors = 4_096
/** Buffers, heap and the readers of files, with room for the page cache. */
const leastMemory = 1 << 30

/** Node, file descriptors and memory, of this process as a server would have them. */
export const checkMachine = (): readonly DoctorCheck[] => [
  checkNode(),
  checkDescriptors(readOrNothing('/proc/self/limits')),
  checkMemory(),
]

const checkNode = (): DoctorCheck => {
  const options = process.env['NODE_OPTIONS'] ?? ''
  if (/--(inspect|max-old-space-size=\d{1,3}(?!\d)|jitless|no-opt)/.test(options))
    return warn(
      'Node',
      `${process.version} with NODE_OPTIONS ${options}`,
      'Unset NODE_OPTIONS: these slow a server down.',
    )
  return ok('Node', process.version)
}

/** @param limits the text of `/proc/<pid>/limits`; empty if it does not exist */
export const checkDescriptors = (limits: string): DoctorCheck => {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  if (soft === undefined) return ok('file descriptors', 'no limit is known here')
  if (soft === 'unlimited' || Number(soft) >= fewestDescriptors) return ok('file descriptors', `at most ${soft}`)
  return warn(
    'file descriptors',
    `at most ${soft}: connections beyond are refused`,
    `Raise the limit to ${toCount(65_536)}: \`ulimit -n 65536\`, or LimitNOFILE of its unit.`,
  )
}

const checkMemory = (): DoctorCheck => {
  const available = process.availableMemory()
  const text = `${toBytes(available)} available of ${toBytes(Math.min(process.constrainedMemory() || totalmem(), totalmem()))}`
  return available >= leastMemory
    ? ok('memory', text)
    : warn('memory', text, 'Give it more, or lower collector.max-inflight-bytes and gateway.reader-memory-bytes.')
}

const readOrNothing = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
