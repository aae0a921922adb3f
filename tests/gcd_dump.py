"""Hand-made dumps of the Grand Comics Database: as an SQLite file, or in the format of mysqldump."""

import sqlite3
from pathlib import Path

from comicsdb.exchange.gcd import schema

TABLES = {table: tuple(column.name for column in columns) for table, columns in schema.TABLES.items()}


class GcdDump:
    """Rows of tables, which are numbered in order unless they have an id."""

    def __init__(self):
        self.rows: dict[str, list[dict]] = {table: [] for table in TABLES}

    def add(self, table: str, **values) -> int:
        """Add a row with these values, and empty ones for all other columns; return its id."""
        listed = self.rows[table]
        row = {"id": len(listed) + 1} | {column.name: column.empty for column in schema.TABLES[table]}
        assert not values.keys() - row.keys()
        listed.append(row | values)
        return listed[-1]["id"]

    def change(self, table: str, row_id: int, **values) -> None:
        """Change values of a row."""
        [row] = [each for each in self.rows[table] if each["id"] == row_id]
        row.update(values)

    def sqlite(self, path: Path, *, indexed: bool = True) -> Path:
        """Write an SQLite file."""
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        for table, rows in self.rows.items():
            schema.create(connection, table)
            marks = ", ".join("?" * (len(TABLES[table]) + 1))
            connection.executemany(
                f"INSERT INTO {table} VALUES ({marks})", [tuple(row.values()) for row in rows]
            )
        if indexed:
            schema.create_indexes(connection)
        connection.commit()
        connection.close()
        return path

    def mysql(self, path: Path) -> Path:
        """Write the output of mysqldump, including columns that are not read."""
        with path.open("w", encoding="utf-8") as file:
            file.write("-- MySQL dump 10.13  Distrib 8.0.36\n/*!40101 SET NAMES utf8mb4 */;\n")
            file.write("CREATE TABLE `gcd_count_stats` (\n  `id` int NOT NULL\n) ENGINE=InnoDB;\n")
            file.write("INSERT INTO `gcd_count_stats` VALUES (1),(2);\n")
            for table, rows in self.rows.items():
                columns = ["id", "modified", *TABLES[table]]
                file.write(f"DROP TABLE IF EXISTS `{table}`;\nCREATE TABLE `{table}` (\n")
                file.write("".join(f"  `{column}` longtext,\n" for column in columns))
                file.write("  PRIMARY KEY (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;\n")
                if rows:
                    listed = ",".join(
                        "("
                        + ",".join(map(_sql, (row["id"], "2026-08-15 01:02:03", *list(row.values())[1:])))
                        + ")"
                        for row in rows
                    )
                    file.write(f"INSERT INTO `{table}` VALUES {listed};\n")
        return path


def _sql(value) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        return str(value)
    for plain, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ('"', '\\"')):
        value = value.replace(plain, escaped)
    return f"'{value}'"
