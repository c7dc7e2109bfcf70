/** Content types of downloads by suffix. What a browser could run (HTML, SVG, script) is left out on purpose. */
const bySuffix: Readonly<Record<string, string>> = {
  txt: 'text/plain; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  json: 'application/json',
  jsonl: 'application/jsonl',
  ndjson: 'application/x-ndjson',
  smile: 'application/json+smile',
  gz: 'application/gzip',
  bz2: 'application/x-bzip2',
  zst: 'application/zstd',
  zip: 'application/zip',
  tar: 'application/x-tar',
  avro: 'application/vnd.apache.avro',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
}

/** The content type of a file by its name; `application/octet-stream` where the suffix says nothing. */
export const toMediaType = (name: string): string => {
  const suffix = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(bySuffix, suffix) ? (bySuffix[suffix] ?? '') : 'application/octet-stream'
}

/** Whether a file is SVG by its name, the only difference from other XML. */
export const isDrawing = (name: string): boolean => /\.svg$/i.test(name)
