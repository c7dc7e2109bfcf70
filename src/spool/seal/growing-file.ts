import { crc32 } from 'node:zlib'
import type { AppendFile, Disk } from '../../disk/disk.ts'

/** A file that is written a piece at a time and synced at its end; it replaces what an earlier attempt left under its name. */
export class GrowingFile {
  readonly name: string
  readonly #disk: Pick<Disk, 'unlink' | 'create'>
  readonly #path: string
  #file: AppendFile | undefined
  #length = 0
  #crc = 0

  constructor(disk: Pick<Disk, 'unlink' | 'create'>, directory: string, name: string) {
    this.name = name
    this.#disk = disk
    this.#path = `${directory}/${name}`
  }

  async append(bytes: Uint8Array): Promise<void> {
    await (await this.#open()).append(bytes)
    this.#length += bytes.length
    this.#crc = crc32(bytes, this.#crc)
  }

  /** @param bytes the rest of it @returns what it is as a whole */
  async finish(bytes: Uint8Array): Promise<{ readonly length: number; readonly crc: number }> {
    const file = await this.#open()
    await this.append(bytes)
    await file.fdatasync()
    await file.close()
    this.#file = undefined
    return { length: this.#length, crc: this.#crc }
  }

  /** Removes what was written of it. */
  async discard(): Promise<void> {
    await this.#file?.close().catch(() => {})
    this.#file = undefined
    await this.#disk.unlink(this.#path).catch(() => {})
  }

  async #open(): Promise<AppendFile> {
    if (this.#file) return this.#file
    await this.#disk.unlink(this.#path)
    const file = await this.#disk.create(this.#path)
    this.#file = file
    return file
  }
}
