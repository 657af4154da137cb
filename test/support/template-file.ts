/** The environment variable with the path of a database file that has the schema and no rows. */
export const TEMPLATE_FILE = "MAINSTAY_TEST_TEMPLATE_FILE";
