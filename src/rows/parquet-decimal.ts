import type { SchemaElement } from 'hyparquet'

/** Whether a column says that it holds decimals: by its logical type, or as older files do. */
export const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL'
