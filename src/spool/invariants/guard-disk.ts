import type { AppendFile, Disk } from '../../disk/disk.ts'
import type { Invariants } from './invariants.ts'

/**
 * The disk while all invariants hold. After a violation nothing on it changes: its content is true, and the next start
 * relies on it. Reads still work.
 */
export const guardDisk = (disk: Disk, invariants: Pick<Invariants, 'broken'>): Disk => {
  const guarded =
    <Args extends unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      invariants.broken === undefined ? change(...args) : Promise.reject(invariants.broken)
  // Spelled out: these are on the way of each event.
  const guardFile = (file: AppendFile): AppendFile => ({
    append: bytes => (invariants.broken === undefined ? file.append(bytes) : Promise.reject(invariants.broken)),
    fdatasync: () => (invariants.broken === undefined ? file.fdatasync() : Promise.reject(invariants.broken)),
    close: () => file.close(),
  })
  return {
    directory: disk.directory,
    create: guarded(async path => guardFile(await disk.create(path))),
    read: (path, start) => disk.read(path, start),
    stream: (path, memory) => disk.stream(path, memory),
    list: path => disk.list(path),
    names: path => disk.names(path),
    mkdir: guarded(path => disk.mkdir(path)),
    rename: guarded((from, to) => disk.rename(from, to)),
    truncate: guarded((path, length) => disk.truncate(path, length)),
    unlink: guarded(path => disk.unlink(path)),
    removeDirectory: guarded(path => disk.removeDirectory(path)),
    fsync: guarded(path => disk.fsync(path)),
    fsyncDir: guarded(path => disk.fsyncDir(path)),
    space: () => disk.space(),
    close: () => disk.close(),
  }
}
