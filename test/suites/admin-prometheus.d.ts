/** The parser comes without types. */
declare module 'parse-prometheus-text-format' {
  type Sample = { value?: string; labels?: Record<string, string>; count?: string }
  const parse: (text: string) => { name: string; type: string; help: string; metrics: Sample[] }[]
  export = parse
}
