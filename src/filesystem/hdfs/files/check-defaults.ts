import { refusal } from '../../cluster/steps.ts'
import { maxBytesPerChecksum } from '../data-node/checksums.ts'
import { checksumType } from '../data-node/messages.ts'

type Checked = 'blockSize' | 'bytesPerChecksum' | 'writePacketSize' | 'checksumType'

/** What a file can be written with, and the settings of the cluster that say it. Longer packets than nodes take are cut. */
const ranges: readonly {
  readonly name: Checked
  readonly setting: string
  readonly from: number
  readonly to: number
}[] = [
  { name: 'blockSize', setting: 'dfs.blocksize', from: 1, to: Number.MAX_SAFE_INTEGER },
  { name: 'bytesPerChecksum', setting: 'dfs.bytes-per-checksum', from: 1, to: maxBytesPerChecksum },
  { name: 'writePacketSize', setting: 'dfs.client-write-packet-size', from: 1, to: 2 ** 31 - 1 },
  { name: 'checksumType', setting: 'dfs.checksum.type', from: checksumType.none, to: checksumType.crc32c },
]

/** @throws FileSystemError `unavailable` for defaults of a cluster that no file can be written with */
export const checkDefaults = (path: string, defaults: Readonly<Record<Checked, number>>): void => {
  for (const { name, setting, from, to } of ranges) {
    const value = defaults[name]
    if (value >= from && value <= to) continue
    const reason = `the name node has ${setting} ${value}, expected ${from} to ${to}`
    throw refusal('unavailable', path, 'create', reason)
  }
}
