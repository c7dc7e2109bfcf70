import { FormatError } from '../../../errors.ts'
import type { Limit } from '../../budget.ts'
import type { ChunkMetaData, ColumnChunk } from '../chunk-metadata.ts'
import { createDictionary } from '../dictionary.ts'
import type { LeafPages, NextPage } from '../leaf-reader.ts'
import type { LeafValues } from '../leaf-values.ts'
import type { Leaf } from '../schema.ts'
import type { Dictionary } from '../value-readers.ts'
import { openDataPage, openDataPageV2 } from './data-page.ts'
import { type PageLocation, readOffsetIndex } from './offset-index.ts'
import { createOpenBody, type PageBodyOptions } from './page-body.ts'
import type { FindPageCodec } from './page-codec.ts'
import { type PageHeader, readPageHeader } from './page-header.ts'
import { createWindow } from './window.ts'

export type PageReaderOptions = PageBodyOptions & {
  readonly leaf: Leaf
  readonly values: LeafValues
  readonly chunk: ColumnChunk & { readonly meta: ChunkMetaData }
  readonly findCodec: FindPageCodec
  /** Of the bytes of a row. */
  readonly limit: Limit
}

/** A header with long bounds is read in steps up to this size. */
const maxHeaderBytes = 16 * 1024 * 1024
const firstHeaderBytes = 1_024
const leastHeaderBytes = 64
/** Most bytes of levels. */
const maxLevelBytes = 256 * 1024 * 1024
/** Most bytes of an index of pages. */
const maxIndexBytes = 16 * 1024 * 1024

/** Reads the pages of a chunk one after another. */
export const createPageReader = (options: PageReaderOptions): LeafPages => {
  const { file, leaf, values, chunk, findCodec, limit } = options
  const { meta } = chunk
  const [codec, plain] = [findCodec(meta.codec), findCodec('UNCOMPRESSED')]
  const chunkEnd = toChunkEnd(meta)
  const bytes = createWindow(file, options.windowBytes, chunkEnd)
  const openBody = createOpenBody(options, bytes)
  const levelPlace = options.memory.place()
  let at = toStart(meta)
  let valuesLeft = meta.values
  let dictionary: Dictionary | undefined
  /** Where the remaining pages are, after a seek to one of them. */
  let places: readonly PageLocation[] | undefined

  const readHeader = async (): Promise<PageHeader> => {
    for (let size = Math.max(leastHeaderBytes, Math.min(chunkEnd - at, firstHeaderBytes)); ; size *= 4) {
      const head = await bytes.upTo(at, size)
      const header = readPageHeader(head, at)
      if (header) return header
      if (head.length < size || size > maxHeaderBytes) throw fault(at, 'expected the header of a page, found the end')
    }
  }
  const open = async (header: PageHeader) => {
    const v2 = header.v2
    if (!v2) {
      const cursor = await openBody(header, at, codec)
      return openDataPage(header, { leaf, values, cursor, dictionary, limit }, levelPlace)
    }
    const levelBytes = v2.repetitionBytes + v2.definitionBytes
    if (
      !(v2.repetitionBytes >= 0 && v2.definitionBytes >= 0 && levelBytes <= Math.min(header.compressed, maxLevelBytes))
    ) {
      throw fault(at, 'expected levels within their page')
    }
    levelPlace.hold(levelBytes, at)
    const levels = await bytes.exactly(at + header.length, levelBytes)
    const cursor = await openBody(header, at, v2.isCompressed ? codec : plain, { skipped: levelBytes })
    return openDataPageV2(header, levels, { leaf, values, cursor, dictionary, limit })
  }
  const pass = (header: PageHeader): void => {
    at += header.length + header.compressed
  }
  const readDictionary = async (header: PageHeader): Promise<void> => {
    const cursor = await openBody(header, at, codec, { isDictionary: true })
    dictionary = createDictionary({ leaf, values, cursor, limit }, header.values)
    pass(header)
  }

  const next = async (): Promise<NextPage | undefined> => {
    while (places ? places.length > 0 : valuesLeft > 0) {
      if (places?.[0]) at = places[0].offset
      const header = await readHeader()
      if (header.kind === 'dictionary') {
        await readDictionary(header)
        continue
      }
      places = places?.slice(1)
      if (header.kind === 'other' || header.values === 0) {
        pass(header)
        continue
      }
      valuesLeft -= header.values
      return {
        values: header.values,
        rows: header.v2?.rows,
        open: async () => {
          const page = await open(header)
          pass(header)
          return page
        },
        pass: () => pass(header),
      }
    }
    return undefined
  }

  return {
    next,
    seek: async row => {
      const index = chunk.offsetIndex
      if (index === undefined || index.length > maxIndexBytes) return undefined
      const all = readOffsetIndex(await file.read(index.offset, index.length), index.offset)
      const found = all.findLastIndex(page => page.row <= row)
      if (found <= 0 || !isInOrder(all)) return undefined
      const [first, place] = [all[0], all[found]]
      if (first === undefined || place === undefined) return undefined
      // The dictionary precedes all of them.
      if (first.offset > at) {
        bytes.expect(first.offset - at)
        const header = await readHeader()
        if (header.kind === 'dictionary') await readDictionary(header)
      }
      bytes.expect(place.size)
      places = all.slice(found)
      return place.row
    },
  }
}

const isInOrder = (pages: readonly PageLocation[]): boolean =>
  pages.every(
    ({ offset, row }, i) => i === 0 || (offset > (pages[i - 1]?.offset ?? 0) && row >= (pages[i - 1]?.row ?? 0)),
  )

/** Some writers say 0 for no dictionary, and older ones do not say that there is one. */
const toStart = ({ dictionaryOffset = 0, dataOffset }: ChunkMetaData): number =>
  dictionaryOffset > 0 ? Math.min(dictionaryOffset, dataOffset) : dataOffset

/** Where it ought to end; older writers forgot the header of the dictionary, so pages are read for as long as they say. */
const toChunkEnd = (meta: ChunkMetaData): number => toStart(meta) + meta.compressed

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)
