"""Report → workbook of a spreadsheet: sheets, tables and native charts; needs the extra ``report``."""
