// The program kcontrol-apiserver in a process of its own, and a client that blocks.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "support/spawn.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace kcontrol_apiserver::test {

/// A run of a program: standard output and error in one pipe.
class process {
public:
    explicit process(std::vector<std::string> arguments) {
        const auto started = kcontrol::test::spawn(std::move(arguments));
        pid_ = started.pid;
        output_ = started.output;
    }
    ~process() {
        if (pid_ != 0) end(SIGKILL);
        ::close(output_);
    }
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    /// The next line, or what there is at the end.
    std::string line() {
        std::string out;
        for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) out.push_back(c);
        return out;
    }
    /// The exit status, or minus the signal.
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    int end(int signal) {
        ::kill(pid_, signal);
        return wait();
    }

private:
    pid_t pid_ = 0;
    int output_ = -1;
};

/// One connection to "http://127.0.0.1:PORT".
class plain_client {
public:
    explicit plain_client(const std::string& url) : socket_(context_) {
        const auto port = std::stoi(url.substr(url.rfind(':') + 1));
        socket_.connect({boost::asio::ip::make_address("127.0.0.1"), static_cast<unsigned short>(port)});
    }

    void send(const std::string& method, const std::string& path, const std::string& body = {}) {
        boost::asio::write(socket_, boost::asio::buffer(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" +
                                                        "Content-Type: application/json\r\nContent-Length: " +
                                                        std::to_string(body.size()) + "\r\n\r\n" + body));
    }
    struct answer {
        int code = 0;
        std::string body;
        kcontrol::json::value json() const { return kcontrol::json::parse(body).value(); }
    };
    answer receive() {
        const std::size_t head = boost::asio::read_until(socket_, boost::asio::dynamic_buffer(buffer_), "\r\n\r\n");
        const std::string header = buffer_.substr(0, head);
        const auto at = header.find("Content-Length: ");
        REQUIRE(at != std::string::npos);
        const auto size = static_cast<std::size_t>(std::stoul(header.substr(at + 16)));
        if (buffer_.size() < head + size) {
            boost::asio::read(socket_, boost::asio::dynamic_buffer(buffer_),
                              boost::asio::transfer_exactly(head + size - buffer_.size()));
        }
        answer out{std::stoi(header.substr(9, 3)), buffer_.substr(head, size)};
        buffer_.erase(0, head + size);
        return out;
    }
    answer ask(const std::string& method, const std::string& path, const std::string& body = {}) {
        send(method, path, body);
        return receive();
    }

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::socket socket_;
    std::string buffer_;
};

}  // namespace kcontrol_apiserver::test
