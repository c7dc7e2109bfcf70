/** The chart library, which the server hands out as `/console/uplot.js`. */
export { default } from 'uplot'
