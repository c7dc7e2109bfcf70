import type { Buffer } from 'node:buffer'
import type { ChunkMetaData } from './chunk-metadata.ts'
import type { ParquetFile } from './file.ts'

/** Chunks that are read in one go, together with those next to them; larger ones are read as their pages are needed. */
const maxChunkBytes = 64 * 1024
const maxRunBytes = 1024 * 1024
/** What is read in vain between two of them. */
const maxGapBytes = 16 * 1024
/** Of all of them together. */
const maxBytes = 16 * 1024 * 1024

type Run = { readonly start: number; end: number }

/** The file, with the bytes of small chunks at hand: a read for each of a thousand columns would take its time. */
export const readAhead = async (file: ParquetFile, chunks: readonly ChunkMetaData[]): Promise<ParquetFile> => {
  const runs = toRuns(chunks, file.size)
  if (runs.length === 0) return file
  const parts = await Promise.all(
    runs.map(async ({ start, end }) => ({ start, end, bytes: await file.read(start, end - start) })),
  )
  const find = (offset: number, length: number): Buffer | undefined => {
    const part = parts.find(({ start, end }) => start <= offset && offset + length <= end)
    return part?.bytes.subarray(offset - part.start, offset - part.start + length)
  }
  return { ...file, read: async (offset, length) => find(offset, length) ?? (await file.read(offset, length)) }
}

const toRuns = (chunks: readonly ChunkMetaData[], size: number): readonly Run[] => {
  const spans = chunks
    .map(({ dictionaryOffset = 0, dataOffset, compressed }) => {
      const start = dictionaryOffset > 0 ? Math.min(dictionaryOffset, dataOffset) : dataOffset
      return { start, end: start + compressed }
    })
    .filter(({ start, end }) => start >= 0 && end > start && end <= size && end - start <= maxChunkBytes)
    .toSorted((a, b) => a.start - b.start)
  const runs: Run[] = []
  let total = 0
  for (const { start, end } of spans) {
    const last = runs.at(-1)
    if (total + end - start > maxBytes) break
    total += end - start
    if (last && start - last.end <= maxGapBytes && end - last.start <= maxRunBytes) last.end = Math.max(last.end, end)
    else runs.push({ start, end })
  }
  // One of its own is as good as no run.
  return runs.filter(({ start, end }) => spans.some(span => span.start === start && span.end < end))
}
