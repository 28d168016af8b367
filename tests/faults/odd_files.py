#!/usr/bin/env python3
"""Files of every shape: cut off, damaged, empty, of other systems, of no text at all. What is in them is counted, never lost."""
import gzip
import pathlib
import random
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, ToolTest, main  # noqa: E402

FAILED = 1
JOB = ("--key", "k", "--time", "t", "--value", "v", "--window", "tumbling:1s", "--aggregate", "count,sum")
HEADER = b"t,k,v\n"
TITLE = b"window_start,window_end,k,count,sum\n"


def lines(count):
    return b"".join(b"%d,key%d,%d\n" % (n * 10, n % 7, n) for n in range(count))


class OddFiles(ToolTest):
    def rejects(self, data, expected, good, *options):
        """`data` behind a header: the malformed are `expected`, as (line, reason, text), and `good` records are in windows."""
        for layout in LAYOUTS:
            run = self.run_tool(*JOB, *layout, *options, data=HEADER + data)
            self.assertEqual([tuple(row[1:]) for row in run.malformed], expected)
            self.assertEqual((run["windowed"], run["late"]), (good, 0))
        return run

    def test_a_gz_file_that_was_cut_off(self):
        whole = gzip.compress(HEADER + lines(20_000))
        for size in (1, 2, 9, 20, len(whole) // 2, len(whole) - 8, len(whole) - 1):
            with self.subTest(size=size):
                path = self.file("cut.csv.gz", whole[:size])
                run = self.run_tool(path, *JOB, expect=FAILED)
                self.assertRegex(run.errors, r"^spillway: '.*cut\.csv\.gz' ends before its compressed data does; .*\n$")
        run = self.run_tool(*JOB, data=whole[:-9], expect=FAILED)
        self.assertIn("standard input ends before", run.errors)

    def test_a_gz_file_that_is_damaged(self):
        whole = bytearray(gzip.compress(HEADER + lines(20_000)))
        dice = random.Random(3)
        for place in [3, 12, len(whole) - 8, len(whole) - 4, *(dice.randrange(20, len(whole) - 8) for _ in range(20))]:
            damaged = bytearray(whole)
            damaged[place] ^= 0x55
            with self.subTest(place=place):
                run = self.run_tool(self.file("bad.csv.gz", damaged), *JOB, expect=FAILED)
                self.assertRegex(run.errors, r"^spillway: .*bad\.csv\.gz.*(damaged|ends before|header).*\n$")
        run = self.run_tool(self.file("more.csv.gz", whole + b"something else"), *JOB, expect=FAILED)
        self.assertIn("damaged", run.errors)

    def test_gz_of_several_members_and_under_any_name(self):
        whole = gzip.compress(HEADER + lines(50)) + gzip.compress(lines(100)[len(lines(50)):]) + gzip.compress(b"") + bytes(512)
        expected = self.run_tool(*JOB, data=HEADER + lines(100))
        for name in ("in.csv.gz", "in.csv", "in"):
            self.assertEqual(self.run_tool(self.file(name, whole), *JOB).output, expected.output)
        self.assertEqual(self.run_tool(self.file("plain.csv.gz", HEADER + lines(100)), *JOB).output, expected.output)
        # A file in zlib's own form is no gzip: it is text, of a kind.
        self.run_tool(self.file("zlib.csv", zlib.compress(HEADER)), *JOB, expect=FAILED)

    def test_nothing_at_all_and_a_header_alone(self):
        for data in (b"", HEADER, HEADER[:-1], b"\xef\xbb\xbf" + HEADER):
            for inputs in ((), (self.file("in.csv", data),)):
                run = self.run_tool(*inputs, *JOB, data=None if inputs else data)
                self.assertEqual((run.output, run["lines"], run.malformed), (TITLE, 0, []))
                self.assertIn(run.late, (b"", data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\n") + b"\n"))
        self.assertEqual(self.run_tool(*JOB, data=None).output, TITLE)
        self.assertEqual(self.run_tool(self.file("e.csv.gz", gzip.compress(b"")), *JOB).output, TITLE)
        empty, full = self.file("empty.csv", b""), self.file("full.csv", HEADER + lines(10))
        self.assertEqual(self.run_tool(empty, full, *JOB).output, self.run_tool(full, *JOB).output)
        json = ("--format", "ndjson", "--time", "/t", "--window", "tumbling:1s")
        self.assertEqual(self.run_tool(*json, data=b"").output, b"window_start,window_end,count\n")

    def test_line_ends_and_marks_of_other_systems(self):
        unix = self.run_tool(*JOB, data=HEADER + lines(300))
        dos = (HEADER + lines(300)).replace(b"\n", b"\r\n")
        for data in (dos, b"\xef\xbb\xbf" + dos, b"\xef\xbb\xbf" + HEADER + \
                     lines(300), HEADER + lines(300)[:-1], dos[:-1], dos[:-2]):
            run = self.run_tool(*JOB, data=data)
            self.assertEqual((run.output, run["malformed"]), (unix.output, 0))

    def test_late_lines_of_a_dos_file_keep_their_ends_and_make_an_input(self):
        late = [b'500,"a, ""b""\r\nc",1\r\n', b" 501 ,d,2\r\n"]
        data = b"t,k,v\r\n5000,x,1\r\n" + b"".join(late) + b"6000,x,1\r\n"
        run = self.run_tool(*JOB, data=data)
        self.assertEqual(run.late, b"t,k,v\r\n" + b"".join(late))
        again = self.run_tool(*JOB, data=run.late)
        self.assertEqual(again.rows, [["0", "1000", 'a, "b"\r\nc', "1", "1"], ["0", "1000", "d", "1", "2"]])
        self.assertEqual((again["windowed"], again["late"]), (2, 0))

    def test_the_late_file_of_a_run_is_the_input_of_another(self):
        dice = random.Random(5)
        data = HEADER + b"".join(b'%d,"k""%d, x",%d\n' % (n * 10 - dice.randrange(5000), n % 3, n) for n in range(5000))
        run = self.run_tool(*JOB, data=data)
        count = run["lines"]
        for _ in range(100):
            if not run["late"]:
                break
            self.assertLess(run["late"], count)
            count = run["late"]
            run = self.run_tool(*JOB, data=run.late)
            self.assertEqual((run["lines"], run["malformed"]), (count, 0))
        self.assertEqual(run["late"], 0)

    def test_files_with_other_line_ends_share_a_late_file(self):
        first, second = self.file("1.csv", b"t,k,v\n5000,a,1\n1,a,1\n"), self.file("2.csv", b"t,k,v\r\n2,a,1\r\n")
        run = self.run_tool(first, second, *JOB)
        self.assertEqual(run.late, b"t,k,v\n1,a,1\n2,a,1\r\n")
        self.assertEqual(self.run_tool(*JOB, data=run.late)["windowed"], 2)

    def test_the_late_file_of_json_has_no_header(self):
        job = ("--format", "ndjson", "--key", "/k", "--time", "/t", "--window", "tumbling:1s")
        run = self.run_tool(*job, data=b'{"t":9000,"k":"a"}\r\n {"k":"b", "t":"1"} \n{"t":2,"k":"c"}')
        self.assertEqual(run.late, b' {"k":"b", "t":"1"} \n{"t":2,"k":"c"}\n')
        self.assertEqual(self.run_tool(*job, data=run.late)["windowed"], 2)

    def test_blank_lines(self):
        self.rejects(b"\n1,a,1\n\n\r\n2,a,1\n \n\n", [("2", "empty line", ""), ("4", "empty line", ""), ("5", "empty line", ""),
                                                   ("7", "too few fields", " "), ("8", "empty line", "")], 2)

    def test_fields_that_are_missing_or_too_many(self):
        self.rejects(b"1,a\n1,a,1,2\n1\n,,\n,,,,,,,,,\n3,a,1\n",
                     [("2", "too few fields", "1,a"), ("3", "too many fields", "1,a,1,2"), ("4", "too few fields", "1"),
                      ("5", "bad time", ",,"), ("6", "too many fields", ",,,,,,,,,")], 1)

    def test_quotes_that_do_not_close_and_text_behind_quotes(self):
        self.rejects(b'1,a,1\n2,"a,1\n3,a,1\n', [("3", "unclosed quote", '2,"a,1\n3,a,1\n')], 1)
        self.rejects(b'1,"a"b,1\n2,a"b,1\n3,"a""b",1\n4,"a" ,1\n', [("2", "text after closing quote", '1,"a"b,1'),
                                                                     ("5", "text after closing quote", '4,"a" ,1')], 2)
        self.rejects(b'1,a,1\n"', [("3", "unclosed quote", '"')], 1)

    def test_zero_bytes_and_bytes_that_are_no_utf8(self):
        run = self.rejects(b"1,a\0b,1\n2\0,a,1\n3,\xff\xfe,1\n\0\n4,a,1\0\n",
                           [("3", "bad time", "2\0,a,1"), ("5", "too few fields", "\0"),
                                                                              ("6", "bad number", "4,a,1\0")], 2)
        self.assertIn(b",a\0b,1,1\n", run.output)
        self.assertIn(b",\xff\xfe,1,1\n", run.output)

    def test_a_binary_file(self):
        noise = random.Random(11).randbytes(3_000_000)
        for options in (JOB, ("--format", "ndjson", "--time", "/t", "--window", "tumbling:1s")):
            for layout in LAYOUTS:
                run = self.run_tool(*options, *layout, data=HEADER + noise + b"\n")
                self.assertGreater(run["malformed"], 1)
                self.assertEqual(run["malformed"], run["lines"])
        run = self.run_tool(self.file("noise.csv", noise), *JOB, expect=FAILED)
        self.assertEqual(run.errors.count("\n"), 1)

    def test_a_program_as_input(self):
        program = pathlib.Path(sys.executable).resolve()
        self.run_tool(program, *JOB, expect=FAILED)
        self.run_tool(program, "--format", "ndjson", "--time", "/t", "--window", "tumbling:1s", expect=0)

    def test_devices(self):
        self.assertEqual(self.run_tool("/dev/null", *JOB).output, TITLE)
        with open("/dev/null", "rb") as null:
            self.assertEqual(self.run_tool(*JOB, stdin=null).output, TITLE)


if __name__ == "__main__":
    main()
