// The typed verbs: they convert at the border and leave the work to the untyped ones.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/patch_between.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/make_ready.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

template <resource T>
any_object boxed(const T& object) {
    return any_object(std::make_shared<const T>(object));
}

/// A copy of the object, which is a T. Of a generated type it is made by its table: its copy constructor, and those of
/// all its parts, need not be compiled then.
template <resource T>
T typed_copy(const any_object& object) {
    const auto from = object.template as<T>();
    if constexpr (has_generated_fields<T>) {
        T made;
        copy_generated(from.get(), &made, generated_type<T>::value);
        return made;
    } else {
        return *from;
    }
}

template <resource T>
awaitable<result<T>> as_typed(awaitable<result<any_object>> call) {
    auto object = co_await std::move(call);
    if (!object) co_return object.error();
    co_return typed_copy<T>(*object);
}

template <resource T>
awaitable<result<std::shared_ptr<const T>>> as_shared(awaitable<result<any_object>> call) {
    auto object = co_await std::move(call);
    if (!object) co_return object.error();
    co_return object->template as<T>();
}

template <resource T>
awaitable<result<std::vector<std::shared_ptr<const T>>>> as_typed_list(awaitable<result<any_list>> call) {
    auto list = co_await std::move(call);
    if (!list) co_return list.error();
    std::vector<std::shared_ptr<const T>> out;
    out.reserve(list->items.size());
    for (const auto& item : list->items) out.push_back(item.template as<T>());
    co_return out;
}

template <resource T>
awaitable<result<object_page<T>>> as_typed_page(awaitable<result<any_list>> call) {
    auto list = co_await std::move(call);
    if (!list) co_return list.error();
    co_return object_page<T>(std::move(*list));
}

template <resource T>
awaitable<result<object_watch<T>>> as_typed_watch(awaitable<result<std::unique_ptr<watch_stream>>> call) {
    auto stream = co_await std::move(call);
    if (!stream) co_return stream.error();
    co_return object_watch<T>(std::move(*stream));
}

}  // namespace detail

template <resource T>
awaitable<result<T>> client::get(namespaced_name key, get_options options) {
    return detail::as_typed<T>(get(resource_of<T>(), std::move(key), std::move(options)));
}

template <resource T>
awaitable<result<std::shared_ptr<const T>>> client::get_shared(namespaced_name key, get_options options) {
    return detail::as_shared<T>(get(resource_of<T>(), std::move(key), std::move(options)));
}

template <resource T>
awaitable<result<std::vector<std::shared_ptr<const T>>>> client::list(list_options options) {
    return detail::as_typed_list<T>(list_and_log(resource_of<T>(), std::move(options)));
}

template <resource T>
awaitable<result<object_page<T>>> client::list_page(list_options options) {
    return detail::as_typed_page<T>(list_page(resource_of<T>(), std::move(options)));
}

template <resource T>
awaitable<result<object_watch<T>>> client::watch(watch_options options) {
    return detail::as_typed_watch<T>(watch(resource_of<T>(), std::move(options)));
}

template <resource T>
awaitable<result<T>> client::create(const T& object, write_options options) {
    return detail::as_typed<T>(create(resource_of<T>(), detail::boxed(object), std::move(options)));
}

template <resource T>
awaitable<result<T>> client::update(const T& object, write_options options) {
    assert_replaceable<T>();
    return detail::as_typed<T>(update(resource_of<T>(), detail::boxed(object), std::move(options)));
}

template <resource T>
awaitable<result<T>> client::patch(const T& snapshot, const T& edited, write_options options) {
    auto change = patch_between(snapshot, edited);
    if (!change) return make_ready(result<T>(change.error()));
    if (change->empty()) return make_ready(result<T>(edited));
    return detail::as_typed<T>(patch(resource_of<T>(), key_of(snapshot.metadata), std::move(change->content_type),
                                     std::move(change->text), std::move(options)));
}

template <resource T>
awaitable<result<T>> client::apply(const T& object, apply_options options) {
    return detail::as_typed<T>(apply(resource_of<T>(), detail::boxed(object), std::move(options)));
}

template <resource T>
awaitable<result<void>> client::delete_(namespaced_name key, delete_options options) {
    return delete_(resource_of<T>(), std::move(key), std::move(options));
}

template <resource T>
awaitable<result<any_list>> client::delete_collection(list_options which, delete_options how) {
    return delete_collection(resource_of<T>(), std::move(which), std::move(how));
}

}  // namespace kcontrol
