import type { BucketFile } from '../../files/bucket-file.ts'
import { createTextPool, hashText } from './text-pool.ts'

/**
 * One row for each file, 68 bytes, outside of the heap of objects:
 *
 *     u32 u32   hash of the name; place among the oldest, 0 when it does not wait
 *     u32 u32   number of the name's head, and its part (`…-<head>-<part>.<ext>`)
 *     u32 u32   number of the shape (extension, format, codec, kind), and of the directory
 *     u32       1 while the row is used, 2 once its file was found
 *     f64 × 5   segment, length, CRC, events, oldest, from byte 28 on
 */
export const rowBytes = 68
const column = { hash: 0, place: 4, head: 8, part: 12, shape: 16, directory: 20, used: 24 } as const
const figures = { segment: 28, length: 36, crc: 44, events: 52, oldest: 60 } as const
const figureColumns = Object.entries(figures) as [keyof typeof figures, number][]

/** The part of a name without a part number. */
const noPart = 0xffff_ffff

/** Where a row is. */
export type FileRow = { readonly view: DataView; readonly at: number }

/** What many files share. */
type Shape = { readonly tail: string } & Pick<BucketFile, 'format' | 'codec' | 'kind'>

/** Files as rows, and what rows share. */
export type FileRows = {
  write(row: FileRow, file: BucketFile): void
  read(row: FileRow): BucketFile
  /** Gives back what the row shares; the row is free. */
  clear(row: FileRow): void
  name(row: FileRow): string
  /** The segment that the file was made from. */
  segment(row: FileRow): number
  isUsed(row: FileRow): boolean
  /** A mark lasts until the row is written again. */
  mark(row: FileRow): void
  isMarked(row: FileRow): boolean
}

export const createFileRows = (): FileRows => {
  const heads = createTextPool()
  const directories = createTextPool()
  const shapes: Shape[] = []
  const shapeIds = new Map<string, number>()

  const toShape = (tail: string, { format, codec, kind }: BucketFile): number => {
    const key = `${tail} ${format} ${codec} ${kind}`
    const known = shapeIds.get(key)
    if (known !== undefined) return known
    shapeIds.set(key, shapes.length)
    return shapes.push({ tail, format, codec, kind }) - 1
  }
  const shapeAt = ({ view, at }: FileRow): Shape =>
    shapes[view.getUint32(at + column.shape)] ?? { tail: '', format: 'native', codec: 'none', kind: 'smile' }
  const nameAt = (row: FileRow): string => {
    const part = row.view.getUint32(row.at + column.part)
    const head = heads.text(row.view.getUint32(row.at + column.head))
    return part === noPart ? head : `${head}${part}${shapeAt(row).tail}`
  }
  return {
    name: nameAt,
    segment: ({ view, at }) => view.getFloat64(at + figures.segment),
    write: ({ view, at }, file) => {
      const [head, part, tail] = splitName(file.name)
      view.setUint32(at + column.hash, hashText(file.name))
      view.setUint32(at + column.head, heads.take(head))
      view.setUint32(at + column.part, part)
      view.setUint32(at + column.shape, toShape(tail, file))
      view.setUint32(at + column.directory, directories.take(file.directory))
      view.setUint32(at + column.used, 1)
      for (const [name, offset] of figureColumns) view.setFloat64(at + offset, file[name])
    },
    read: row => {
      const { view, at } = row
      const { format, codec, kind } = shapeAt(row)
      return {
        name: nameAt(row),
        directory: directories.text(view.getUint32(at + column.directory)),
        segment: view.getFloat64(at + figures.segment),
        format,
        codec,
        kind,
        length: view.getFloat64(at + figures.length),
        crc: view.getFloat64(at + figures.crc),
        events: view.getFloat64(at + figures.events),
        oldest: view.getFloat64(at + figures.oldest),
      }
    },
    clear: ({ view, at }) => {
      heads.release(view.getUint32(at + column.head))
      directories.release(view.getUint32(at + column.directory))
      view.setUint32(at + column.used, 0)
    },
    isUsed: ({ view, at }) => view.getUint32(at + column.used) > 0,
    mark: ({ view, at }) => view.setUint32(at + column.used, 2),
    isMarked: ({ view, at }) => view.getUint32(at + column.used) === 2,
  }
}

/** Where a row keeps its place among the oldest. */
export const places = {
  get: ({ view, at }: FileRow): number => view.getUint32(at + column.place),
  set: ({ view, at }: FileRow, place: number): void => view.setUint32(at + column.place, place),
}

/** `<head>-<part>.<ext>` in three, so that the head is shared; any other name is all head. */
const splitName = (name: string): readonly [head: string, part: number, tail: string] => {
  const [, head, digits, tail] = /^(.*-)(0|[1-9]\d{0,8})(\.[a-z.0-9]{1,20})$/.exec(name) ?? []
  return head === undefined || tail === undefined ? [name, noPart, ''] : [head, Number(digits), tail]
}
